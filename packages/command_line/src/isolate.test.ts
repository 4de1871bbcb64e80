import { describe, it } from "node:test";
import { assertEquals } from "@std/assert";
import { hasIsolates, isolate, mapIsolates, splitIsolates } from "./isolate.ts";
import { tableText } from "./layout.ts";
import { type Screen, widthOf, wrap } from "./screen.ts";

const [NAJD, RIYADH] = ["\u0646\u062c\u062f", "\u0627\u0644\u0631\u064a\u0627\u0636"];
const within = (text: string) => `\u2068${text}\u2069`;
const SCREEN: Screen = { columns: 80, hasColor: false, now: new Date(0) };

describe("isolate()", () => {
  it("isolates a text with letters from right to left, and leaves others as they are", () => {
    assertEquals([isolate(NAJD), isolate("Najd 24"), isolate(null)], [within(NAJD), "Najd 24", "null"]);
    assertEquals(isolate(`${NAJD}\u2069 1\u202e`), within(`${NAJD} 1`));
    assertEquals([hasIsolates(isolate(NAJD)), hasIsolates("\u2068"), hasIsolates("a")], [true, false, false]);
  });

  it("keeps names apart from the numbers between them", () => {
    const text = `1000 SAR of ${isolate(NAJD)}; 1500 SAR of ${isolate(RIYADH)}`;
    assertEquals(splitIsolates(text), ["1000 SAR of ", NAJD, "; 1500 SAR of ", RIYADH, ""]);
    assertEquals(mapIsolates(text, (part) => part.toUpperCase()), text.replaceAll("of", "OF"));
  });

  it("takes no column, and is closed at the end of each line", () => {
    assertEquals(widthOf(isolate(NAJD)), 3);
    const lines = wrap(`1 SAR of ${isolate(`${NAJD} ${RIYADH}`)} now`, 14);
    assertEquals(lines, [`1 SAR of ${within(NAJD)}`, `${within(RIYADH)} now`]);
  });

  it("isolates the cells of a table, and keeps its columns", () => {
    const cellText = (_: string, value: string | null) => `${value}`;
    const rows = [{ name: NAJD, sar: "1" }, { name: "Riyadh", sar: "20" }];
    assertEquals(
      tableText(["name", "sar"], rows, SCREEN, cellText).split("\n"),
      ["name    sar", `${within(NAJD)}       1`, "Riyadh   20"],
    );
  });
});

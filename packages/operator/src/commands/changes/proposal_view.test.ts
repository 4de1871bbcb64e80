import { readFile } from "node:fs/promises";
import { describe, it } from "node:test";
import { CHANGES } from "@gold-partner/approvals";
import { assertEquals } from "@std/assert";
import { consequencesOf } from "./proposal_view.ts";

const GUIDE = new URL("../../../../../docs/operator/two_people.md", import.meta.url);

describe("the kinds of proposals", () => {
  it("are those that the guide lists", async () => {
    const listed = [...(await readFile(GUIDE, "utf8")).matchAll(/^\| `([\w.]+)` +\|/gm)];
    assertEquals(listed.map(([, kind]) => kind), Object.keys(CHANGES));
  });

  it("each state a consequence", () => {
    for (const kind of Object.keys(CHANGES)) {
      const values = { amount: "100", payments: [] };
      assertEquals(/^.{20,}\.$/.test(consequencesOf(kind, values, values)), true, kind);
    }
  });
});

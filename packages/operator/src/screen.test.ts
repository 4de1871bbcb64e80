import { describe, it } from "node:test";
import { type Screen, widthOf } from "@gold-partner/command-line";
import { assert, assertEquals } from "@std/assert";
import { printText } from "./output.ts";

const NOW = new Date("2026-11-29T20:30:00.000Z");
const screenOf = (columns: number): Screen => ({ columns, hasColor: false, now: NOW });
const WIDE = screenOf(80);

describe("printText() on a terminal", () => {
  const rows = [
    {
      order_id: "ord_019c1364-6eb8-7020-90c0-f0601000cb9f",
      client: "Najd Jewellers",
      grams: "10.5",
      at: "2026-11-29T09:00:00.000Z",
    },
    {
      order_id: "ord_019c1364-6eb8-7020-90c0-f0601000cba0",
      client: "A house with a long name",
      grams: "1000000",
      at: "2026-11-28T09:00:00.000Z",
    },
  ];

  it("shortens the ids of a command in a table", () => {
    const next = "gold withdrawal approve wd_019c1364-6eb8-7020-90c0-f0601000cb9f";
    assertEquals(printText({ items: [{ next }] }, WIDE), "next\ngold withdrawal approve wd_…1000cb9f");
    assertEquals(printText({ items: [{ next }] }), `next\n${next}`);
  });

  it("shortens ids and times in tables, and aligns numbers to the right", () => {
    assertEquals(
      printText({ items: rows }, WIDE),
      [
        "order_id       client                        grams  at",
        "ord_…1000cb9f  Najd Jewellers                 10.5  12:00:00",
        "ord_…1000cba0  A house with a long name  1,000,000  28 Nov 12:00",
      ].join("\n"),
    );
  });

  it("wraps words in the widest column, and else writes one block for each row", () => {
    assertEquals(
      printText({ items: rows }, screenOf(54)),
      [
        "order_id       client              grams  at",
        "ord_…1000cb9f  Najd Jewellers       10.5  12:00:00",
        "ord_…1000cba0  A house with a  1,000,000  28 Nov 12:00",
        "               long name",
      ].join("\n"),
    );
    assertEquals(
      printText({ items: rows.slice(0, 1) }, screenOf(30)),
      [
        "order_id  ord_019c1364-6eb8-70",
        "          20-90c0-f0601000cb9f",
        "client    Najd Jewellers",
        "grams     10.5",
        "at        29 Nov 2026 12:00:00",
      ].join("\n"),
    );
  });

  it("never writes a line that is wider than the screen", () => {
    const object = { text: "word ".repeat(50), id: "x".repeat(300), list: ["a".repeat(90), "b c"] };
    for (const columns of [40, 80, 120]) {
      const text = printText(
        { title: "t ".repeat(100), object, items: rows, lists: { rows: [object] } },
        screenOf(columns),
      );
      assert(text.split("\n").every((line) => widthOf(line) <= columns), text);
    }
  });
});

import { describe, it } from "node:test";
import { assert, assertEquals } from "../../../tools/testing/assert.ts";
import { printText } from "./output.ts";
import { riyadhTime, type Screen, widthOf, wrap } from "./screen.ts";

const NOW = new Date("2026-11-29T20:30:00.000Z");
const screenOf = (columns: number): Screen => ({ columns, hasColor: false, now: NOW });
const WIDE = screenOf(80);

describe("wrap()", () => {
  it("breaks at spaces, and inside a word that is longer than a line", () => {
    assertEquals(wrap("one two three", 7), ["one two", "three"]);
    assertEquals(wrap("abcdefghij k", 4), ["abcd", "efgh", "ij k"]);
    assertEquals(wrap("", 4), [""]);
    assertEquals(wrap("a\nb", 4), ["a", "b"]);
  });

  it("counts the columns of a terminal, not the characters", () => {
    assertEquals([widthOf("نجد"), widthOf("é"), widthOf("金a")], [3, 1, 3]);
    assertEquals(wrap("金金金", 4), ["金金", "金"]);
  });
});

describe("riyadhTime()", () => {
  it("is brief for a time of today and of this year, by the days in Riyadh", () => {
    const times = [
      "2026-11-29T21:00:01.000Z",
      "2026-11-29T20:59:59Z",
      "2026-01-31T05:06:07.890Z",
      "2025-01-31T05:06:07Z",
    ];
    // At 20:30 UTC it is 23:30 in Riyadh.
    assertEquals(times.map((time) => riyadhTime(time, WIDE, true)), [
      ...["30 Nov 00:00", "23:59:59", "31 Jan 08:06", "31 Jan 2025"],
    ]);
    assertEquals(riyadhTime(times[2]!, WIDE, false), "31 Jan 2026 08:06:07");
  });
});

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

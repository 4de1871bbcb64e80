import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, describe, it } from "node:test";
import { assertEquals, assertStringIncludes } from "@std/assert";
import { type Amounts, findAnomalies, type Happened, type Operation } from "./history.ts";

const START: Amounts = { available: 1000, held: 0, gold: 0 };
const BOUGHT: Amounts = { available: 900, held: 0, gold: 5 };
const BUY: Amounts = { available: -100, held: 0, gold: 5 };
const FUND: Amounts = { available: 50, held: 0, gold: 0 };

const folder = mkdtempSync(join(tmpdir(), "faults-history-"));
const drawing = join(folder, "drawing.html");

const bought: Happened = { kind: "write", key: "k1", quote: "q1", change: BUY, after: BOUGHT, id: "ord_1" };

/** Places requests one after the other, or at the given times. */
const at = (call: number, end: number, happened: Happened, client = 0): Operation => ({
  client,
  call,
  return: end,
  ...happened,
});
const inTurn = (...all: readonly Happened[]): Operation[] =>
  all.map((each, n) => at(10 * n, 10 * n + 5, each));

const anomaliesOf = (operations: readonly Operation[]): string[] =>
  findAnomalies([{ account: "bank", start: START, operations }], drawing);

describe("findAnomalies()", () => {
  after(() => rmSync(folder, { recursive: true }));

  it("accepts a history in which each reply follows from the requests before it", () => {
    const funded: Amounts = { ...BOUGHT, available: 950 };
    const withdrawn: Amounts = { ...funded, available: 920, held: 30 };
    assertEquals(
      anomaliesOf(inTurn(
        { kind: "find", key: "k1", id: "" },
        { kind: "refusal", key: "k0", change: { ...BUY, available: -1001 }, code: "insufficient_funds" },
        {
          kind: "refusal",
          key: "k00",
          change: { available: 1, held: 0, gold: -1 },
          code: "insufficient_gold",
        },
        bought,
        { kind: "refusal", key: "k2", quote: "q1", change: BUY, code: "quote_already_executed" },
        { kind: "write", key: "k3", change: FUND, after: funded, id: "fnd_1" },
        {
          kind: "write",
          key: "k4",
          change: { available: -30, held: 30, gold: 0 },
          after: withdrawn,
          id: "wd_1",
        },
        { kind: "replay", key: "k1", id: "ord_1" },
        { kind: "find", key: "k3", id: "fnd_1" },
        { kind: "events", ids: ["ord_1", "fnd_1", "wd_1"] },
        { kind: "balances", after: withdrawn },
      )),
      [],
    );
  });

  it("lets a read that overlaps a write return the balances before it or after it", () => {
    for (const seen of [START, BOUGHT]) {
      assertEquals(anomaliesOf([at(0, 100, bought), at(10, 20, { kind: "balances", after: seen }, 1)]), []);
    }
  });

  it("refuses a read that returns older balances than an earlier read", () => {
    const operations = [
      at(0, 100, bought),
      at(10, 20, { kind: "balances", after: BOUGHT }, 1),
      at(30, 40, { kind: "balances", after: START }, 1),
    ];
    assertEquals(anomaliesOf(operations).length, 1);
  });

  const violations: Readonly<Record<string, readonly Happened[]>> = {
    "a write that is acknowledged and lost": [bought, { kind: "balances", after: START }],
    "a write whose event is lost": [bought, { kind: "events", ids: [] }],
    "a write that its key does not show": [bought, { kind: "find", key: "k1", id: "" }],
    "a write that is executed twice": [
      bought,
      { kind: "balances", after: { available: 800, held: 0, gold: 10 } },
    ],
    "a quote that two keys execute": [
      bought,
      { ...bought, key: "k2", id: "ord_2", after: { available: 800, held: 0, gold: 10 } },
    ],
    "a key with two results": [bought, { kind: "replay", key: "k1", id: "ord_2" }],
    "a key that executes twice": [
      bought,
      { kind: "write", key: "k1", change: FUND, after: { ...BOUGHT, available: 950 }, id: "fnd_1" },
    ],
    "a refusal of a key that was executed": [
      bought,
      { kind: "refusal", key: "k1", quote: "q1", change: BUY, code: "quote_already_executed" },
    ],
    "an id that two keys return": [
      bought,
      { kind: "write", key: "k2", change: FUND, after: { ...BOUGHT, available: 950 }, id: "ord_1" },
    ],
    "a reply with balances from before an earlier write": [
      bought,
      { kind: "write", key: "k2", change: FUND, after: { ...START, available: 1050 }, id: "fnd_1" },
    ],
    "events in another order than the writes": [
      bought,
      { kind: "write", key: "k2", change: FUND, after: { ...BOUGHT, available: 950 }, id: "fnd_1" },
      { kind: "events", ids: ["fnd_1", "ord_1"] },
    ],
    "a refusal for lack of money although there is enough": [
      { kind: "refusal", key: "k1", change: BUY, code: "insufficient_funds" },
    ],
    "a refusal for lack of gold although there is enough": [
      bought,
      { kind: "refusal", key: "k2", change: { available: 1, held: 0, gold: -5 }, code: "insufficient_gold" },
    ],
    "a refusal of an executed quote that nobody executed": [
      { kind: "refusal", key: "k1", quote: "q1", change: BUY, code: "quote_already_executed" },
    ],
    "a balance below zero": [
      { ...bought, change: { ...BUY, available: -1100 }, after: { ...BOUGHT, available: -100 } },
    ],
    "a refusal that the model does not know": [
      { kind: "refusal", key: "k1", change: BUY, code: "limit_exceeded" },
    ],
  };
  for (const [name, happened] of Object.entries(violations)) {
    it(`refuses ${name}`, () => assertEquals(anomaliesOf(inTurn(...happened)).length, 1));
  }

  it("names the request that no order explains, and draws the history", () => {
    const [sentence] = anomaliesOf(inTurn(bought, { kind: "balances", after: START }));
    assertStringIncludes(sentence!, "bank: the history is not linearizable");
    assertStringIncludes(sentence!, "explains 1 of 2 requests");
    assertStringIncludes(readFileSync(drawing, "utf8"), "ord_1");
  });

  it("checks each account separately", () => {
    const wrong = inTurn({ kind: "balances", after: BOUGHT });
    const histories = ["one", "two", "three"].map((account, n) => ({
      account,
      start: START,
      operations: n === 1 ? wrong : inTurn(bought),
    }));
    assertEquals(findAnomalies(histories, drawing).map((sentence) => sentence.split(":")[0]), ["two"]);
  });
});

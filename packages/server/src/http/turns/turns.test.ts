import { beforeEach, describe, it } from "node:test";
import { assert, assertEquals, assertLessOrEqual } from "@std/assert";
import { until } from "../../../../../tools/testing/until.ts";
import { RANK, type Rank } from "./rank.ts";
import { createTurns, LINE_MAX, type Turns } from "./turns.ts";

const HALF_OF_PLACES = 16;

describe("createTurns()", () => {
  let clockMs: number;
  let turns: Turns;
  /**
   * What happened to each request, in this order: `bank order 3` started, `bank order 3 too_many` was
   * refused.
   */
  let happened: string[];
  let leaving: Map<string, () => void>;
  let arrived: Map<string, number>;
  beforeEach(() => {
    clockMs = 0;
    turns = createTurns({ limit: () => 2 * HALF_OF_PLACES, sample: () => {} }, () => clockMs);
    happened = [];
    leaving = new Map();
    arrived = new Map();
  });

  /** Adds requests, named by partner, rank and number. */
  function arrive(partner: string, rank: keyof typeof RANK, count = 1): void {
    const [log, before] = [happened, arrived.get(`${partner} ${rank}`) ?? 0];
    arrived.set(`${partner} ${rank}`, before + count);
    for (let n = before + 1; n <= before + count; n++) {
      const name = `${partner} ${rank} ${n}`;
      leaving.set(
        name,
        turns.arrive(partner, RANK[rank] as Rank, {
          start: () => log.push(name),
          refuse: (refusal) => log.push(`${name} ${refusal}`),
        }),
      );
    }
  }
  const leave = (name: string) => leaving.get(name)!();
  const loops = async (count: number) => {
    for (let n = 0; n < count; n++) await new Promise((resolve) => setImmediate(resolve));
  };
  const startedOf = (partner: string) => happened.filter((name) => name.startsWith(`${partner} `)).length;
  /** Answers the requests that run, as often as asked. */
  async function answer(rounds: number): Promise<void> {
    for (let n = 0; n < rounds; n++) {
      for (const name of happened.slice()) leave(name);
      await loops(1);
    }
  }

  /** Fills all places with orders, even those for a partner of which nothing runs. */
  async function fillPlaces(): Promise<void> {
    arrive("a", "order", 2 * HALF_OF_PLACES);
    await loops(10);
    for (let n = 0; n < HALF_OF_PLACES / 2; n++) arrive(`busy ${n}`, "order");
    await loops(10);
  }

  it("starts a request at once if nothing waits", () => {
    arrive("bank", "order");
    assertEquals(happened, ["bank order 1"]);
  });

  it("starts eight requests, and further ones after the event loop has served the running ones", async () => {
    arrive("bank", "quote", 20);
    assertEquals(startedOf("bank"), 8);
    await loops(1);
    assertEquals(startedOf("bank"), 16);
    await loops(1);
    assertEquals([startedOf("bank"), turns.waiting(), turns.running()], [20, 0, 20]);
  });

  it("takes the partners in turn, so that a flood does not delay another partner's request", async () => {
    arrive("hostile", "order", 200);
    await loops(10);
    const before = startedOf("hostile");
    arrive("bank", "order");
    assertEquals([startedOf("bank"), startedOf("hostile")], [1, before]);
  });

  it("gives a partner at most half of the places while others are there", async () => {
    arrive("bank", "order");
    arrive("hostile", "order", 200);
    await loops(10);
    assertEquals(startedOf("hostile"), HALF_OF_PLACES);
    leave("bank order 1");
    // The bank may send its next request soon, so the hostile partner is alone only a second later.
    await loops(10);
    assertEquals(startedOf("hostile"), HALF_OF_PLACES);
    clockMs = 1000;
    leave("hostile order 1");
    await loops(10);
    assertEquals(startedOf("hostile"), 2 * HALF_OF_PLACES + 1);
  });

  it("starts orders first, then records, quotes and lists, but every fourth start is the lowest rank's", async () => {
    arrive("bank", "quote", 2 * HALF_OF_PLACES);
    await loops(10);
    for (const rank of ["list", "quote", "record", "order"] as const) arrive("bank", rank, 3);
    const first = happened.length;
    await answer(2);
    const ranks = happened.slice(first).map((name) => name.split(" ")[1]);
    assertEquals(ranks.slice(0, 8), [
      "order",
      "order",
      "order",
      "list",
      "record",
      "record",
      "record",
      "list",
    ]);
    assertEquals(ranks.slice(8).sort(), ["list", "quote", "quote", "quote"]);
  });

  it("runs at most four lists and four statements of a partner at once while it is alone", async () => {
    arrive("bank", "list", 9);
    arrive("bank", "statement", 9);
    await loops(10);
    const first = (rank: string) => [1, 2, 3, 4].map((n) => `bank ${rank} ${n}`);
    assertEquals(happened.sort(), [...first("list"), ...first("statement")]);
  });

  it("runs one list of a partner beside others, and the next after three times as long a pause", async () => {
    arrive("bank", "order");
    arrive("hostile", "list", 9);
    await loops(10);
    assertEquals(startedOf("hostile"), 1);
    clockMs = 10;
    leave("hostile list 1");
    clockMs = 39;
    arrive("hostile", "list");
    assertEquals(startedOf("hostile"), 1);
    clockMs = 40;
    await until(() => startedOf("hostile") === 2);
  });

  it("starts a list that arrived during the pause after the last one, although nothing else happens", async () => {
    arrive("bank", "order");
    arrive("hostile", "order");
    arrive("hostile", "list");
    clockMs = 10;
    leave("hostile list 1");
    arrive("hostile", "list");
    await loops(2);
    assertEquals(startedOf("hostile"), 2);
    clockMs = 40;
    await until(() => startedOf("hostile") === 3);
  });

  it("answers /health while requests that wait for the database have all places", async () => {
    arrive("bank", "order", 200);
    await loops(10);
    arrive("bank", "health", 6);
    await loops(10);
    assertEquals(happened.filter((name) => name.includes("health")).length, 4);
  });

  it("answers /health of a partner whose line is full of orders", async () => {
    arrive("bank", "order", 2 * HALF_OF_PLACES);
    await loops(10);
    arrive("bank", "order", LINE_MAX);
    arrive("bank", "health");
    assertEquals([happened.at(-1), turns.waiting()], ["bank health 1", LINE_MAX]);
  });

  it("keeps the pause of a long list if a short one ends after it", async () => {
    arrive("hostile", "order");
    arrive("hostile", "list");
    clockMs = 9;
    arrive("hostile", "list");
    arrive("bank", "order");
    clockMs = 10;
    leave("hostile list 1");
    leave("hostile list 2");
    clockMs = 20;
    arrive("hostile", "list");
    assertEquals(happened.includes("hostile list 3"), false);
  });

  it("keeps a partner in one line after its only request was refused in favour of its next one", async () => {
    await fillPlaces();
    for (let n = 1; n < 320; n++) arrive(`reader ${n}`, "record");
    arrive("bank", "list");
    arrive("bank", "quote");
    assertEquals([happened.pop(), turns.waiting()], ["bank list 1 overloaded", 320]);
    for (const n of [1, 2]) leave(`a order ${n}`);
    await loops(10);
    arrive("bank", "quote");
    arrive("other", "quote");
    await answer(300);
    assertEquals(happened.filter((name) => name.includes("quote")), [
      "bank quote 1",
      "other quote 1",
      "bank quote 2",
    ]);
  });

  it("serves a partner with few requests beside two that fill the process with reads", async () => {
    await fillPlaces();
    arrive("first", "record", 200);
    arrive("second", "record", 200);
    for (const rank of ["quote", "other", "list"] as const) arrive("bank", rank);
    const refused = happened.filter((name) => name.endsWith("overloaded"));
    assertEquals(refused.some((name) => name.startsWith("bank")), false, `${refused}`);
    happened.splice(0, happened.length, ...happened.filter((name) => !refused.includes(name)));
    await answer(5);
    assertEquals(startedOf("bank"), 3);
  });

  it("lets the orders of several partners wait, each up to the end of its line", async () => {
    await fillPlaces();
    arrive("first", "order", 240);
    arrive("second", "order", 240);
    arrive("bank", "quote");
    assertEquals(happened.filter((name) => name.endsWith("overloaded")), []);
    assertEquals(turns.waiting(), 481);
  });

  it("refuses what exceeds a partner's own line, and nothing of another partner", async () => {
    arrive("hostile", "quote", 2 * HALF_OF_PLACES);
    await loops(10);
    arrive("hostile", "quote", LINE_MAX + 3);
    assertEquals(happened.filter((name) => name.endsWith("too_many")).length, 3);
    arrive("bank", "quote");
    assertEquals(happened.at(-1), "bank quote 1");
  });

  it("refuses a partner's newest quote, if its line is full, in favour of its order", async () => {
    arrive("bank", "quote", 2 * HALF_OF_PLACES);
    await loops(10);
    arrive("bank", "quote", LINE_MAX);
    arrive("bank", "order");
    assertEquals(happened.at(-1), `bank quote ${2 * HALF_OF_PLACES + LINE_MAX} too_many`);
    leave("bank quote 1");
    assertEquals(happened.at(-1), "bank order 1");
  });

  it("refuses requests of the longest line if too many wait in all lines together", async () => {
    for (const partner of ["a", "b", "c", "d", "e"]) {
      arrive(partner, "quote", 250);
      await loops(20);
    }
    arrive("f", "quote", 50);
    await loops(1);
    const refused = happened.filter((name) => name.endsWith("overloaded"));
    assertEquals(refused.some((name) => name.startsWith("f ")), false);
    assert(refused.length > 0);
    assertLessOrEqual(turns.waiting(), 320);
  });

  it("refuses no order in favour of a quote, even in the longest line", async () => {
    await fillPlaces();
    arrive("bank", "order", 250);
    arrive("other", "quote", 200);
    arrive("third", "quote", 200);
    arrive("other", "order");
    const refused = happened.filter((name) => name.endsWith("overloaded"));
    assertEquals(refused.length > 0 && refused.every((name) => name.includes("quote")), true, `${refused}`);
    assertEquals(turns.waiting(), 250 + 320 + 1);
  });

  it("refuses a quote that waited for two seconds, and another request that waited for five", async () => {
    arrive("bank", "record", 2 * HALF_OF_PLACES);
    await loops(10);
    arrive("bank", "order");
    arrive("bank", "quote");
    clockMs = 2000;
    await until(() => turns.waiting() === 1);
    assertEquals(happened.at(-1), "bank quote 1 overloaded");
    clockMs = 5000;
    await until(() => turns.waiting() === 0);
    assertEquals(happened.at(-1), "bank order 1 overloaded");
  });

  it("refuses all but a line's first quote after 200 ms while quotes wait without a break, and no order", async () => {
    arrive("bank", "quote", 2 * HALF_OF_PLACES);
    await loops(10);
    arrive("bank", "order");
    for (clockMs = 0; clockMs <= 400; clockMs += 100) arrive("bank", "quote");
    leave("bank quote 1");
    await loops(2);
    assertEquals(happened.filter((name) => name.endsWith("overloaded")), []);
    clockMs = 501;
    leave("bank quote 2");
    await loops(2);
    const waited = [1, 2, 3, 4].map((n) => `bank quote ${2 * HALF_OF_PLACES + n}`);
    assertEquals(
      happened.filter((name) => name.endsWith("overloaded")),
      waited.slice(1).map((name) => `${name} overloaded`),
    );
    assertEquals([happened.includes("bank order 1"), happened.includes(waited[0]!)], [true, true]);
  });

  it("gives a quote two seconds again after a moment in which none waited", async () => {
    arrive("bank", "quote", 2 * HALF_OF_PLACES);
    await loops(10);
    arrive("bank", "quote");
    clockMs = 501;
    leave("bank quote 1");
    await loops(2);
    arrive("bank", "quote", 3);
    clockMs = 1000;
    leave("bank quote 2");
    await loops(2);
    assertEquals([happened.filter((name) => name.endsWith("overloaded")), turns.waiting()], [[], 2]);
  });

  it("leaves a partner its only waiting quote under overload", async () => {
    arrive("bank", "quote", 2 * HALF_OF_PLACES);
    await loops(10);
    arrive("calm", "quote", 2);
    arrive("bank", "quote", 3);
    clockMs = 501;
    arrive("other", "order");
    await loops(2);
    const refused = [1, 2].map((n) => `bank quote ${2 * HALF_OF_PLACES + n} overloaded`);
    assertEquals(happened.filter((name) => name.endsWith("overloaded")), refused);
  });

  it("tells with a refusal how many of the partner's quotes were served in a second", async () => {
    const refused: number[] = [];
    const visitor = {
      start: () => {},
      refuse: (_reason: string, perSecond: number) => void refused.push(perSecond),
    };
    // The line is known as long as a request of it runs.
    turns.arrive("bank", RANK.order, visitor);
    for (let n = 0; n < 200; n++) {
      clockMs += 20;
      turns.arrive("bank", RANK.quote, visitor)();
      await loops(1);
    }
    turns.arrive("other", RANK.order, visitor);
    for (let n = 0; n < LINE_MAX + HALF_OF_PLACES; n++) {
      turns.arrive("bank", RANK.order, visitor);
      await loops(1);
    }
    assert(refused.length > 0 && Math.abs(refused[0]! - 50) < 5, `${refused}`);
  });

  it("never starts a request whose caller has disconnected", async () => {
    arrive("bank", "order", 40);
    await loops(10);
    leave("bank order 40");
    await answer(3);
    assertEquals([happened.includes("bank order 40"), turns.waiting(), turns.running()], [false, 0, 0]);
  });

  it("keeps nothing of partners whose requests have all ended", async () => {
    for (let n = 0; n < 1000; n++) {
      arrive(`partner${n}`, "order", 2);
      if (n % 8 === 0) await loops(1);
      leave(`partner${n} order 1`);
      leave(`partner${n} order 2`);
    }
    assertEquals([turns.waiting(), turns.running()], [0, 0]);
    arrive("bank", "quote", 50);
    await loops(10);
    // Half would be left to others if a line of theirs were still known.
    assert(startedOf("bank") > HALF_OF_PLACES);
  });
});

import { Socket } from "node:net";
import { describe, it } from "node:test";
import { assertEquals, assertRejects } from "@std/assert";
import type { DatabaseHost } from "./database_url.ts";
import { PrimaryFinder } from "./primary_finder.ts";

const hostOf = (host: string): DatabaseHost => ({ host, port: 5432, socketPath: undefined });
const [OLD, NEW] = [hostOf("old"), hostOf("new")];
/** Shorter than a finder waits for the other hosts after a primary has answered. */
const SLOW_MS = 50;
/** Longer than a finder waits for a promotion. */
const BUSY_MS = 3200;

type Ask = (host: DatabaseHost) => Promise<number | null>;

/** Finds a primary with the login of the service, unless a test gives another one. */
class Searching extends PrimaryFinder {
  readonly #ask: Ask;
  constructor(ask: Ask) {
    super([OLD, NEW]);
    this.#ask = ask;
  }
  override find(login = "gold_api", ask = this.#ask): Promise<DatabaseHost> {
    return super.find(login, ask);
  }
}

/** Hosts with these timelines. Null is a standby. */
const hostsAt = (timelines: Map<DatabaseHost, number | null>, slow?: DatabaseHost): Ask => async (host) => {
  if (host === slow) await new Promise((resolve) => setTimeout(resolve, SLOW_MS));
  return timelines.get(host)!;
};

describe("PrimaryFinder", () => {
  it("chooses the primary that was promoted later, even if the other one answers first", async () => {
    const finder = new Searching(hostsAt(new Map([[OLD, 1], [NEW, 2]]), NEW));
    assertEquals((await finder.find()).host, "new");
  });

  it("never goes back to a lower timeline, although no other primary answers", async () => {
    const timelines = new Map<DatabaseHost, number | null>([[OLD, null], [NEW, 2]]);
    const finder = new Searching(hostsAt(timelines));
    assertEquals((await finder.find()).host, "new");
    finder.forget(NEW);
    timelines.set(OLD, 1).set(NEW, null);
    await assertRejects(() => finder.find(), Error, "old:5432 was the primary before the last promotion");
    timelines.set(OLD, 3);
    assertEquals((await finder.find()).host, "old");
  });

  it("destroys the connections to the old primary once another one is found", async () => {
    const timelines = new Map<DatabaseHost, number | null>([[OLD, 1], [NEW, null]]);
    const finder = new Searching(hostsAt(timelines));
    const [held, released] = [new Socket(), new Socket()];
    for (const socket of [held, released]) finder.hold(socket, await finder.find());
    finder.release(released);
    finder.forget(OLD);
    timelines.set(OLD, null).set(NEW, 2);
    await finder.find();
    assertEquals([held.destroyed, released.destroyed], [true, false]);
  });

  it("waits for a primary on a busy machine, although the other host has failed", async () => {
    const finder = new Searching(async (host) => {
      if (host === OLD) throw new Error("refused");
      await new Promise((resolve) => setTimeout(resolve, BUSY_MS));
      return 2;
    });
    assertEquals((await finder.find()).host, "new");
  });

  it("asks with the login that searches, because the servers may refuse another one", async () => {
    const finder = new Searching(hostsAt(new Map([[OLD, 1], [NEW, null]])));
    const refused = finder.find("operator_two", (host) => {
      return host === OLD
        ? Promise.reject(Object.assign(new Error(), { code: "28P01" }))
        : Promise.resolve(null);
    });
    assertEquals((await finder.find()).host, "old");
    await assertRejects(() => refused, Error, "old:5432 failed (28P01)");
  });

  it("keeps a primary that nobody reported as lost", async () => {
    const timelines = new Map<DatabaseHost, number | null>([[OLD, 1], [NEW, null]]);
    const finder = new Searching(hostsAt(timelines));
    await finder.find();
    timelines.set(NEW, 2);
    finder.forget(NEW);
    assertEquals((await finder.find()).host, "old");
  });
});

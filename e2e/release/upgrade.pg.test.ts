import { after, before, describe, it } from "node:test";
import { openDatabase, type State } from "@gold-partner/dev";
import { assertEquals } from "@std/assert";
import { Deployment, type ProofDatabase } from "../../tools/prove/stage/deployment.ts";
import { openInboxes } from "../../tools/prove/stage/inboxes.ts";
import { checkOrders } from "../../tools/prove/stage/check_orders.ts";
import { Load } from "../../tools/prove/stage/load.ts";
import { ask } from "../../tools/prove/stage/trader.ts";
import { callEverything } from "./every_call.ts";
import { type Checkout, checkOut } from "../../tools/testing/release/checkout.ts";
import { lastRelease } from "../../tools/testing/release/history.ts";

const BUYERS = 4;
/** A worker of the last release may pause its endpoints for 60 s while the database is migrated. */
const DELIVERY_MS = 90_000;

/**
 * Requests wait for a lock for up to 9 s. On a busy machine, the migration may hold a table for longer than
 * the service's own 2 s.
 */
async function startDatabase(state: State): Promise<ProofDatabase> {
  const { postgres, urls } = await openDatabase(state);
  return { postgres, urls: { ...urls, api: `${urls.api}?lock_timeout=9000` } };
}

describe("an upgrade from the last release under load", () => {
  let checkout: Checkout;
  let deployment: Deployment;
  before(async () => {
    checkout = await checkOut(lastRelease().commit);
    const { root } = checkout;
    deployment = await Deployment.start({ servers: 1, traders: 2, lanes: 2, root, startDatabase });
  });
  after(async () => {
    await deployment?.stop();
    await checkout?.remove();
  });

  it("fails no request while the old process continues and a new process starts", async () => {
    const { traders, servers: [old] } = deployment;
    const inboxes = await openInboxes(deployment);
    for (const trader of traders) await ask(old!.socket, trader.fund("1000000"));
    const load = new Load(deployment, BUYERS);
    const called = [await callEverything(old!, traders[0]!)];
    await deployment.migrate();
    called.push(await callEverything(old!, traders[0]!));
    const fresh = await deployment.addServer("fresh", "all", { LANES: "2" });
    called.push(await callEverything(fresh, traders[1]!));
    called.push(await callEverything(old!, traders[0]!));
    await load.stop();
    assertEquals(called.flatMap(({ failures }) => failures), []);
    assertEquals(load.observed.map(({ verdict }) => verdict).filter((verdict) => verdict !== "201"), []);
    assertEquals(load.unanswered, []);
    const accepted = [...load.acknowledged, ...called.flatMap(({ orders }) => orders)];
    const { violations } = await checkOrders(deployment, accepted, inboxes, { timeoutMs: DELIVERY_MS });
    assertEquals(violations, []);
  });
});

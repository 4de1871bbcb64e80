import { setTimeout as sleep } from "node:timers/promises";
import type { Deployment } from "../stage/deployment.ts";
import type { ServerProcess } from "../stage/server_process.ts";
import { untilDelivered } from "../stage/until_delivered.ts";
import { OrderBooker } from "./order_booker.ts";
import type { Setup } from "./setup.ts";
import { post } from "./listed_events.ts";

export interface Disturbance {
  readonly events: number;
  readonly kills: number;
  /** The kills after which the database is restarted, too. */
  readonly restartsAfter: readonly number[];
}

/** What was done, for the report. */
interface Disturbed {
  readonly kills: number;
  /** How many deliveries were in flight in the killed processes. */
  readonly interrupted: number;
  readonly restarts: number;
  readonly tests: number;
}

/**
 * Each kill comes at a random moment within this time after the booking of a share of the orders has begun.
 */
const INTO_MS = 1500;
/**
 * How long a killed process stays away at every third kill. Longer than its endpoints stay reserved for it.
 */
const AWAY_MS = 7000;
const AWAY_EVERY = 3;
const DATABASE_AWAY_MS = 1000;
const PAUSE_MS = 100;
const IDLE_MS = 60_000;
/**
 * How long to wait at the end: enough for all events that are left after the last kill, each with all its
 * tries.
 */
const TIMEOUT_MS = 600_000;
/**
 * If an endpoint rests longer than this after repeated failures, its partner requests a test event to show
 * that the endpoint works. Without the test event, an endpoint that refuses all its remaining events is tried
 * only once per rest.
 */
const LONG_REST = "10 seconds";

/**
 * Books orders while the processes that deliver them are killed and the database is restarted. Partners whose
 * endpoint answered 410 enable it again.
 */
export async function disturb(setup: Setup, plan: Disturbance): Promise<Disturbed> {
  const { deployment, deliverers } = setup;
  const { events, kills, restartsAfter } = plan;
  const booker = new OrderBooker(deployment.sql, deployment.traders);
  const enabling = new Enabling(setup);
  let interrupted = 0;
  try {
    for (let kill = 1; kill <= kills; kill++) {
      const booking = booker.bookUntil(Math.ceil(events * kill / kills));
      await sleep(INTO_MS * Math.random());
      const order = kill % 2 === 0 ? deliverers : deliverers.toReversed();
      const { victim, inFlight } = await findBusy(order, booker);
      await victim.kill();
      interrupted += inFlight;
      await sleep(kill % AWAY_EVERY === 0 ? AWAY_MS : 0);
      await victim.start();
      if (restartsAfter.includes(kill)) await restartDatabase(deployment, restartsAfter.indexOf(kill));
      await booking;
    }
    await untilDelivered(deployment, TIMEOUT_MS);
    return { kills, interrupted, restarts: restartsAfter.length, tests: enabling.tests };
  } finally {
    await enabling.stop();
  }
}

/** Returns the first process that has deliveries in flight. Books more orders while no process has any. */
async function findBusy(
  deliverers: readonly ServerProcess[],
  booker: OrderBooker,
): Promise<{ readonly victim: ServerProcess; readonly inFlight: number }> {
  const deadline = performance.now() + IDLE_MS;
  while (performance.now() < deadline) {
    for (const victim of deliverers) {
      const inFlight = await victim.countInFlight();
      if (inFlight > 0) return { victim, inFlight };
    }
    await booker.bookBatch().catch(() => {});
    await sleep(PAUSE_MS);
  }
  throw new Error(`For ${IDLE_MS / 1000} s, no process had a delivery in flight, even after more orders.`);
}

/** Alternates between killing all processes of the database and an orderly shutdown. */
async function restartDatabase(deployment: Deployment, turn: number): Promise<void> {
  if (turn % 2 === 0) await deployment.killPostgres();
  else await deployment.stopPostgres();
  await sleep(DATABASE_AWAY_MS);
  await deployment.startPostgres();
  await deployment.untilDatabaseAnswers();
}

/**
 * Requests a test event for each partner whose endpoint is disabled (it answered 410) or rests for long. The
 * test event shows that the endpoint works again.
 */
class Enabling {
  tests = 0;
  readonly #setup: Setup;
  readonly #tested = new Set<string>();
  readonly #ended: Promise<void>;
  #on = true;

  constructor(setup: Setup) {
    this.#setup = setup;
    this.#ended = this.#look();
  }

  async stop(): Promise<void> {
    this.#on = false;
    await this.#ended;
  }

  async #look(): Promise<void> {
    const { deployment, service } = this.#setup;
    for (; this.#on; await sleep(PAUSE_MS)) {
      const away = await deployment.sql<{ client: number; at: string }[]>`
        select receiver_id as client, coalesce(disabled_at, rests_until)::text as at from gold.endpoint
        where disabled_at is not null or rests_until > now() + ${LONG_REST}::interval`
        .catch(() => []);
      for (const { client, at } of away) {
        if (this.#tested.has(`${client} ${at}`)) continue;
        const trader = deployment.traders.find((one) => one.client === client)!;
        // If the request is refused because the database is unavailable, send it again.
        const posted = await post(service.socket, trader, "/v1/webhook/test").then(() => true, () => false);
        if (!posted) continue;
        this.#tested.add(`${client} ${at}`);
        this.tests++;
      }
    }
  }
}

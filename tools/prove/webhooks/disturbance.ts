import { randomUUID } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import { until } from "../../testing/until.ts";
import type { Deployment } from "../stage/deployment.ts";
import type { ServerProcess } from "../stage/server_process.ts";
import { ask } from "../stage/trader.ts";
import { untilDelivered } from "../stage/until_delivered.ts";
import { OrderBooker } from "./order_booker.ts";
import { behaviourBeside, DURING_KILLS, partnersWithThree } from "./further_endpoints.ts";
import type { Endpoint } from "./receivers.ts";
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
  /** How often the operator enabled an endpoint that refuses connections. */
  readonly enabled: number;
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
/** How often each partner with three endpoints is funded between two kills. */
const FUNDINGS = 2;
/**
 * If an endpoint rests longer than this after repeated failures, its partner requests a test event to show
 * that the endpoint works. Without the test event, an endpoint that refuses all its remaining events is tried
 * only once per rest.
 */
const LONG_REST = "10 seconds";

/**
 * Books orders and funds partners while the processes that deliver the events are killed and the database is
 * restarted. Partners whose endpoint answered 410 enable it again. The operator enables a dead endpoint whenever
 * it rests, so that the proof does not wait for long rests before the last try of each event.
 */
export async function disturb(setup: Setup, plan: Disturbance): Promise<Disturbed> {
  const { deployment, deliverers } = setup;
  const { events, kills, restartsAfter } = plan;
  const booker = new OrderBooker(deployment.sql, deployment.traders);
  const enabling = new Enabling(setup);
  let interrupted = 0;
  try {
    for (let kill = 1; kill <= kills; kill++) {
      const booking = Promise.all([
        booker.bookUntil(Math.ceil(events * kill / kills)),
        fundPartners(setup, FUNDINGS),
      ]);
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
    return {
      kills,
      interrupted,
      restarts: restartsAfter.length,
      tests: enabling.tests,
      enabled: enabling.enabled,
    };
  } finally {
    await enabling.stop();
  }
}

/** Funds the partners with three endpoints, even if the service is unavailable meanwhile. */
async function fundPartners(setup: Setup, times: number): Promise<void> {
  const { socket } = setup.service;
  for (const partner of partnersWithThree(setup)) {
    for (let n = 0; n < times; n++) {
      const key = randomUUID();
      await until(async () => {
        const reply = await partner.renewToken(socket).then(
          () => ask(socket, partner.fund("1", key)),
          () => {},
        );
        return reply?.status === 200 || reply?.status === 201;
      });
    }
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
 * test event shows that the endpoint works again. An endpoint that refuses connections never does: the operator
 * sets its URL again as soon as it rests.
 */
class Enabling {
  tests = 0;
  enabled = 0;
  readonly #setup: Setup;
  readonly #handled = new Set<string>();
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
    const { deployment, receivers } = this.#setup;
    const behaviourOf = behaviourBeside(this.#setup, DURING_KILLS, "by chance");
    for (; this.#on; await sleep(PAUSE_MS)) {
      const away = await deployment.sql<{ id: number; at: string; long: boolean }[]>`
        select client_id as id, coalesce(disabled_at, rests_until)::text as at,
          disabled_at is not null or rests_until > now() + ${LONG_REST}::interval as long
        from gold.endpoint where disabled_at is not null or rests_until > now()`
        .catch(() => []);
      const endpoints = new Map([...receivers.endpoints.values()].map((endpoint) => [endpoint.id, endpoint]));
      for (const { id, at, long } of away) {
        const endpoint = endpoints.get(id)!;
        const isDead = behaviourOf(endpoint.receiver) === "refuses";
        if (this.#handled.has(`${id} ${at}`) || !isDead && !long) continue;
        // If the database is unavailable, try again.
        const isDone = await (isDead ? this.#enable(endpoint) : this.#test(endpoint)).then(
          () => true,
          () => false,
        );
        if (isDone) this.#handled.add(`${id} ${at}`);
      }
    }
  }

  async #test({ trader }: Endpoint): Promise<void> {
    await post(this.#setup.service.socket, trader, "/v1/webhook/test");
    this.tests++;
  }

  async #enable({ trader, number, receiver }: Endpoint): Promise<void> {
    const { deployment, receivers: { urls } } = this.#setup;
    await deployment.operator("endpoint set", trader.clientId, `${number}`, "--url", urls[receiver]!);
    this.enabled++;
  }
}

import process from "node:process";
import { Report } from "./stage/report.ts";
import { checkMemory } from "./stage/resident_memory.ts";
import { disturb, type Disturbance } from "./webhooks/disturbance.ts";
import { checkArrivals, describeArrivals } from "./webhooks/check_arrivals.ts";
import { MemoryWatch } from "./webhooks/memory_watch.ts";
import { redeliver } from "./webhooks/redelivery.ts";
import { measurePairs } from "./webhooks/pairs.ts";
import { openSetup } from "./webhooks/setup.ts";
import { addFurther, behaviourBeside, DURING_KILLS, removeFurther } from "./webhooks/further_endpoints.ts";
import { backlogOf, deadAndSlow, sickFrom } from "./webhooks/troubles.ts";

// npm run prove -- webhooks [--short]: receivers fail in every way, workers are killed, and the database is
// restarted. The event of every accepted order arrives at each endpoint that gets it, and healthy receivers do not
// wait for failing ones, neither for those of other partners nor for those of other endpoints of the same partner.

const short = process.argv.includes("--short");
const PLAN: Disturbance = short
  ? { events: 2_000, kills: 3, restartsAfter: [2] }
  : { events: 100_000, kills: 50, restartsAfter: [10, 20, 30, 40, 48] };
const SETUP = short
  ? { partners: 10, withThree: 4, retries: "1s 1s 1s 2s" }
  : { partners: 50, withThree: 4, retries: "1s 1s 1s 2s 2s 3s 3s 5s" };
const PAIRS = short
  ? { count: 1, orders: 500, slowRatioMax: undefined }
  : { count: 5, orders: 1000, slowRatioMax: 1.25 };
/** The 99th percentile is only printed: a few new connections at once decide it. */
const THREE = short
  ? { count: 3, orders: 500, medianRatioMax: 2, slowRatioMax: undefined }
  : { count: 5, orders: 1000, medianRatioMax: 1.5, slowRatioMax: undefined };
const BACKLOG_EVENTS = 1_000_000;
const TRIES = SETUP.retries.split(" ").length + 1;

const report = new Report();
const setup = await openSetup(SETUP);
try {
  await watchMemory("during kills", proveArrival);
  await watchMemory("beside failing receivers", provePairs);
  await watchMemory("beside endpoints of the same partner", proveThree);
} finally {
  await setup.deployment.stop();
}
process.exit(report.close("webhooks") ? 0 : 1);

async function proveArrival(): Promise<void> {
  await addFurther(setup, DURING_KILLS);
  const behaviourOf = behaviourBeside(setup, DURING_KILLS, "by chance");
  await setup.receivers.behave(behaviourOf);
  const { kills, interrupted, restarts, tests, enabled } = await disturb(setup, PLAN);
  const arrivals = await setup.receivers.take();
  const { parked, ...finding } = await checkArrivals(
    setup,
    arrivals,
    TRIES,
    (receiver) => behaviourOf(receiver) === "slow",
  );
  const suffered =
    `${kills} kills with ${interrupted} deliveries in flight, ${restarts} restarts of the database, ${tests} ` +
    `webhook tests, dead endpoints enabled ${enabled} times`;
  const described = await describeArrivals(setup, arrivals);
  report.tried("failing receivers", { ...finding, what: `${suffered}; ${finding.what}; ${described}` });
  report.tried("redelivery of parked events", await redeliver(setup, arrivals, parked));
  await removeFurther(setup);
}

async function provePairs(): Promise<void> {
  const { partners } = SETUP;
  const well = Math.ceil(partners / 2);
  const sick = { ...PAIRS, well, buyers: partners };
  report.tried("failing receivers of other partners", await measurePairs(setup, sickFrom(setup, well), sick));
  if (short) return;
  const others = { ...PAIRS, well: partners - 1, buyers: partners - 1 };
  const backlog = await backlogOf(setup, BACKLOG_EVENTS);
  report.tried("a long backlog", await measurePairs(setup, backlog, others));
}

/** The only difference between the two sides of a pair is the number of endpoints of the same partners. */
async function proveThree(): Promise<void> {
  const { withThree } = SETUP;
  const plan = { ...THREE, well: withThree, buyers: withThree };
  report.tried("three endpoints, one dead and one slow", await measurePairs(setup, deadAndSlow(setup), plan));
}

async function watchMemory(when: string, act: () => Promise<void>): Promise<void> {
  const memory = new MemoryWatch(setup.deliverers);
  await act();
  report.tried(`memory of the delivering processes, ${when}`, checkMemory(memory.stop(), short));
}

import process from "node:process";
import { setTimeout as sleep } from "node:timers/promises";
import { percentile } from "../testing/statistics.ts";
import { connectTraders, isServed, type Phase, Trading } from "./overload/trading.ts";
import { Deployment } from "./stage/deployment.ts";
import { EnvoyFront, SETTLE_MS } from "./stage/envoy_front.ts";
import { pinApart } from "./stage/pin.ts";
import { type Finding, Report } from "./stage/report.ts";
import { compareIds, findImbalance, readOrders } from "./stage/stage.ts";

// npm run prove -- overload [--short]: partners trade through Envoy at two and at four times the peak. The
// service must do about as much as at its peak, execute the orders of the quotes that it gave, serve a calm
// partner, and be normal again within five seconds. Then its process is killed at twice the peak, and nothing
// may be lost. The load has one core and the service another one. With --short, only the kill.

const SECONDS = { long: { peak: 20, load: 60 }, short: { peak: 5, load: 8 } };
const TIMES = [2, 4];
const TRADERS = 12;
const CONNECTIONS = 3;
const IN_FLIGHT = 128;
const CALM_PER_SECOND = 5;
const FUNDING_SAR = "10000000";
const GOODPUT_SHARE = 0.9;
const REFUSED_ORDERS_SHARE = 0.01;
const CALM_SHARE = 0.99;
/** How long the service may take until it is normal again, and what is normal: a fraction of the peak. */
const RECOVERY_SECONDS = 5;
const NORMAL_SHARE = 0.4;
const NORMAL_FACTOR = 2;

const scale = process.argv.includes("--short") ? "short" : "long";
const seconds = SECONDS[scale];
const report = new Report();
const deployment = await Deployment.start({ servers: 1, traders: TRADERS + 1, lanes: 2 });
try {
  await deployment.fund(FUNDING_SAR);
  const front = await EnvoyFront.open(deployment);
  pinApart([front.pid, deployment.postmasterPid, ...deployment.servers.map(({ pid }) => pid)]);
  const traders = await connectTraders(deployment, CONNECTIONS);
  const [many, calm] = [new Trading(traders.slice(1)), new Trading(traders.slice(0, 1))];
  await many.saturate(IN_FLIGHT, seconds.peak / 2);
  const peak = (await many.saturate(IN_FLIGHT, seconds.peak)).goodput(seconds.peak);
  if (scale === "long") await tryMultiples(peak, many, calm);
  await deployment.renewTokens();
  const [phase] = await Promise.all([many.offer(2 * peak, seconds.load), killMeanwhile()]);
  await Promise.all([many.settle(), calm.settle()]);
  const accepted = [...many.accepted, ...calm.accepted];
  report.tried("a process killed at 2x of the peak", {
    what: `${phase.count("order", true)} orders served, ${many.settled} settled afterwards; ` +
      `${accepted.length} accepted in all`,
    violations: [
      ...phase.unexpected(),
      ...compareIds("orders", accepted, await readOrders(deployment)),
      ...await findImbalance(deployment),
      ...await deployment.findDefects(),
    ],
  });
  for (const { connections } of traders) for (const connection of connections) connection.close();
} finally {
  await deployment.stop();
}
process.exit(report.close("overload") ? 0 : 1);

async function tryMultiples(peak: number, many: Trading, calm: Trading): Promise<void> {
  const normal = await many.offer(peak * NORMAL_SHARE, seconds.peak);
  for (const times of TIMES) {
    await deployment.renewTokens();
    const [phase, beside] = await Promise.all([
      many.offer(times * peak, seconds.load),
      calm.offer(CALM_PER_SECOND, seconds.load),
    ]);
    report.tried(`${times}x of the peak`, judge(peak, phase, beside));
    const after = await many.offer(peak * NORMAL_SHARE, RECOVERY_SECONDS + seconds.peak);
    report.tried(`after ${times}x of the peak`, judgeRecovery(normal, after));
  }
}

function judge(peak: number, phase: Phase, beside: Phase): Finding {
  const share = phase.goodput(seconds.load) / peak;
  const [orders, calm] = [phase.served("order"), Math.min(beside.served("quote"), beside.served("order"))];
  const percent = (part: number) => `${(100 * part).toFixed(1)} %`;
  return {
    what:
      `${percent(share)} of the peak of ${peak.toFixed(0)} trades a second in time; ${
        percent(orders)
      } of the ` +
      `orders and ${percent(phase.served("quote"))} of the quotes served, ${
        percent(calm)
      } of a calm partner's ` +
      `requests; ${latencies(phase)}`,
    violations: [
      ...(share >= GOODPUT_SHARE ? [] : [`the goodput is below ${percent(GOODPUT_SHARE)} of the peak`]),
      ...(1 - orders <= REFUSED_ORDERS_SHARE ? [] : [`${percent(1 - orders)} of the orders were refused`]),
      ...(calm >= CALM_SHARE ? [] : [`the calm partner got less than ${percent(CALM_SHARE)}`]),
      ...[...phase.unexpected(), ...beside.unexpected()],
    ],
  };
}

function latencies({ sent }: Phase): string {
  const of = (kind: "quote" | "order") => {
    const served = sent.filter((one) => one.kind === kind && isServed(one.verdict)).map(({ tookMs }) =>
      tookMs
    );
    return [0.5, 0.99].map((share) => percentile(served, share).toFixed(0)).join(" / ");
  };
  return `p50 / p99 of served quotes ${of("quote")} ms, of orders ${of("order")} ms`;
}

/** Compares the latency and the refusals from the fifth second on with those before the overload. */
function judgeRecovery(before: Phase, after: Phase): Finding {
  const late = after.sent.filter(({ dueMs }) => dueMs >= after.startMs + RECOVERY_SECONDS * 1000);
  const median = (sent: Phase["sent"]) => percentile(sent.map(({ tookMs }) => tookMs), 0.5);
  const refused = late.filter(({ verdict }) => !isServed(verdict)).length;
  const [was, is] = [median(before.sent), median(late)];
  return {
    what: `p50 ${is.toFixed(1)} ms after five seconds, ${was.toFixed(1)} ms before the overload`,
    violations: [
      ...(is <= NORMAL_FACTOR * was ? [] : ["requests still take more than twice as long"]),
      ...(refused === 0 ? [] : [`${refused} requests were refused after five seconds`]),
      ...after.unexpected(),
    ],
  };
}

/** Kills the service while requests wait in it, and starts it again. */
async function killMeanwhile(): Promise<void> {
  const [server] = deployment.servers;
  await sleep(SETTLE_MS);
  while (await server!.countWaiting() === 0) await sleep(1);
  await server!.kill();
  await server!.heal();
  pinApart([server!.pid]);
}

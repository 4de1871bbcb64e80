import { openTlsWire } from "../prove/stage/partner_connection.ts";
import { countEach, memberOf, requireReply } from "../prove/stage/wire.ts";
import { percentile } from "../testing/statistics.ts";
import { Toxiproxy } from "../testing/toxiproxy.ts";
import type { Benchmark, Contest, Sample } from "./harness.ts";
import { findPeak, KINDS, sendOpenLoop } from "./load/open_loop.ts";
import { openRig, type Rig, type Way } from "./load/rig.ts";
import { latencyOf } from "./summary.ts";

const WAYS: readonly Way[] = ["directly", "through Envoy", "through HAProxy and Envoy"];
const SHARES = [0.1, 0.5, 0.8, 0.95];
/** How long each rate is sent, in turns: 30 s in the full run. */
const TURNS = 300;
const IN_FLIGHT = 24;
const PEAK_MOST_PER_SECOND = 1500;
const WARM_UP_SECONDS = 12;
const DISTANCES_MS = [20, 60];
const FIRST_ORDERS = 20;

/** Each kind of request at shares of the rate at which the service breaks. */
function tailsOf(rig: Rig, way: Way): Contest {
  let [sent, peak] = [NaN, NaN];
  const [cpus, failures]: [string[], string[]] = [[], []];
  return {
    name: `quotes, orders and reads, ${way}`,
    goals: [],
    async measure({ turnMs }) {
      const connections = await rig.connect(way);
      const saturate = (seconds: number) =>
        findPeak(rig, connections, { inFlight: IN_FLIGHT, seconds, most: PEAK_MOST_PER_SECOND * seconds });
      await saturate(WARM_UP_SECONDS);
      const seconds = turnMs * TURNS / 1000;
      // With a fixed number in flight, batches are larger than at a fixed rate, and so is the rate.
      sent = await saturate(Math.ceil(seconds / 3));
      const served = await sendOpenLoop(rig, connections, sent, seconds / 3);
      peak = served.latenciesMicros.order.length / (served.wallMs / 1000);
      const round: Record<string, Sample> = {};
      for (const share of SHARES) {
        const measured = await sendOpenLoop(rig, connections, peak * share, seconds);
        cpus.push(`${share * 100} %: a quote, an order and a read cost ${measured.cpu.text}.`);
        failures.push(...measured.failures.map((failure) => `${failure} at ${share * 100} %`));
        for (const kind of KINDS) {
          const latencies = measured.latenciesMicros[kind];
          round[`${kind}, ${share * 100} %`] = {
            operations: latencies.length,
            wallMs: measured.wallMs,
            cpuMs: measured.cpu.totalMs / KINDS.length,
            loadCpuMs: measured.loadCpuMs,
            ...latencyOf(latencies),
            p999Micros: percentile(latencies, 0.999),
          };
        }
      }
      for (const connection of connections) connection.close();
      return [round];
    },
    remarks: () => [
      `100 % is ${peak.toFixed(0)} of each kind a second: what was served when ${
        sent.toFixed(0)
      } were sent, the rate ` +
      `with ${IN_FLIGHT} of each in flight. The partners have one core, and everything else the other one.`,
      ...cpus,
      ...[...countEach(failures)].map(([failure, times]) => `${times} × ${failure}`),
    ],
  };
}

/** The first order of a bank far away: with a new connection and a new token, and with both at hand. */
function distances(rig: Rig): Contest {
  return {
    name: "the first order of a distant bank, with its quote",
    goals: [],
    async measure() {
      const toxiproxy = await Toxiproxy.start();
      const round: Record<string, Sample> = {};
      try {
        for (const distance of DISTANCES_MS) {
          const name = `${distance}ms`;
          const port = await toxiproxy.open(name, rig.envoyPort);
          for (const stream of ["upstream", "downstream"] as const) {
            await toxiproxy.poison(name, {
              ...{ type: "latency", stream, attributes: { latency: distance / 2, jitter: 0 } },
            });
          }
          const [cold, warm]: [number[], number[]] = [[], []];
          const startMs = performance.now();
          for (let n = 0; n < FIRST_ORDERS; n++) await firstOrders(rig, port, cold, warm);
          const wallMs = performance.now() - startMs;
          for (const [kind, latencies] of Object.entries({ cold, warm })) {
            round[`${kind}, ${distance} ms away`] = {
              operations: FIRST_ORDERS,
              wallMs,
              ...latencyOf(latencies),
            };
          }
        }
      } finally {
        await toxiproxy.stop();
      }
      return [round];
    },
    remarks: () => ["Cold: connection, handshake, token, quote and order. Warm: quote and order."],
  };
}

async function firstOrders(rig: Rig, port: number, cold: number[], warm: number[]): Promise<void> {
  const [trader, identity] = [rig.partners[0]!, rig.identities[0]!];
  const coldMs = performance.now();
  const wire = await openTlsWire(port, identity);
  trader.takeToken(await wire.send(trader.tokenRequest()));
  const trade = async () => {
    const quote = requireReply("a quote", await wire.send(trader.quote("buy", "0.001")));
    requireReply("an order", await wire.send(await trader.order(memberOf(quote, "quote_id"))));
  };
  await trade();
  const warmMs = performance.now();
  cold.push((warmMs - coldMs) * 1000);
  await trade();
  warm.push((performance.now() - warmMs) * 1000);
  wire.close();
}

export default {
  about: "latency from p50 to p99.9 below the breakpoint, by the way to the service, and of a distant bank",
  async open() {
    const rig = await openRig();
    return {
      contests: [...WAYS.map((way) => tailsOf(rig, way)), distances(rig)],
      close: () => rig.deployment.stop(),
    };
  },
} satisfies Benchmark;

import { type ConnectedTrader, isServed, type Phase, Trading } from "../prove/overload/trading.ts";
import { MultiplexedConnection } from "../prove/stage/multiplexed_connection.ts";
import { type Benchmark, type Contest, type Sample, startClock } from "./harness.ts";
import { cpuBetween, openRig, type Rig } from "./load/rig.ts";
import { latencyOf } from "./summary.ts";

const FACTORS = [0.5, 1, 2, 4];
/** How long each load is offered, in turns: 30 s in the full run. */
const TURNS = 300;
const CONNECTIONS = 3;
const IN_FLIGHT = 128;
const WARM_UP_SECONDS = 12;

/**
 * Trades, each a quote and its order, that end within a second while more are offered than the service can
 * do.
 */
function goodput(rig: Rig, name: string, partners: number): Contest {
  const remarks = ["p50 and p99 are those of served orders."];
  return {
    name: `trades that end within a second, offered by ${name}`,
    goals: [],
    async measure({ turnMs }) {
      const traders = rig.partners.slice(0, partners).map((trader, index): ConnectedTrader => ({
        trader,
        connections: Array.from(
          { length: CONNECTIONS * rig.partners.length / partners },
          () => new MultiplexedConnection(rig.envoyPort, rig.identities[index]!),
        ),
      }));
      const trading = new Trading(traders);
      const seconds = turnMs * TURNS / 1000;
      await rig.deployment.renewTokens();
      await trading.saturate(IN_FLIGHT, WARM_UP_SECONDS);
      const peak = (await trading.saturate(IN_FLIGHT, seconds / 3)).goodput(seconds / 3);
      const round: Record<string, Sample> = {
        "the peak": { operations: Math.max(1, Math.round(peak * seconds)), wallMs: seconds * 1000 },
      };
      for (const factor of FACTORS) {
        await rig.deployment.renewTokens();
        const [clock, before] = [startClock(), rig.readCpuMs()];
        const phase = await trading.offer(peak * factor, seconds);
        const { cpuMs: loadCpuMs } = clock();
        const goodput = phase.goodput(seconds);
        const served = phase.sent.filter(({ kind, verdict }) => kind === "order" && isServed(verdict));
        round[`${factor}x of the peak`] = {
          operations: Math.max(1, Math.round(goodput * seconds)),
          wallMs: seconds * 1000,
          cpuMs: cpuBetween(before, rig.readCpuMs(), 1).totalMs,
          loadCpuMs,
          ...latencyOf(served.map(({ tookMs }) => tookMs * 1000)),
        };
        remarks.push(describe(factor, phase, goodput / peak));
      }
      await trading.settle();
      for (const { connections } of traders) for (const connection of connections) connection.close();
      return [round];
    },
    remarks: () => remarks,
  };
}

const percent = (share: number) => `${(share * 100).toFixed(1)} %`;

const describe = (factor: number, phase: Phase, share: number): string =>
  `${factor}x: ${percent(share)} of the peak, ${percent(phase.served("order"))} of the orders and ` +
  `${percent(phase.served("quote"))} of the quotes served.`;

export default {
  about: "trades that end within a second, at up to four times the peak",
  async open() {
    const rig = await openRig();
    return {
      contests: [goodput(rig, "all partners", rig.partners.length), goodput(rig, "one partner", 1)],
      close: () => rig.deployment.stop(),
    };
  },
} satisfies Benchmark;

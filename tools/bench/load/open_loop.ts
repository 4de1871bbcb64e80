// Sends quotes, orders and reads at a fixed rate, however long they take. All requests are made and signed
// beforehand. A latency counts from the moment at which the request was due, so that a slow service cannot hide
// requests that it delays (coordinated omission).
import type { PartnerConnection } from "../../prove/stage/partner_connection.ts";
import { Arrivals, SHORT_TICK_MS } from "../../prove/stage/arrivals.ts";
import { verdictOf } from "../../prove/stage/wire.ts";
import { setTimeout as sleep } from "node:timers/promises";
import { inFlight as inParallel, startClock } from "../harness.ts";
import { cpuBetween, type Rig } from "./rig.ts";

export const KINDS = ["quote", "order", "read"] as const;
type Kind = typeof KINDS[number];

interface Measured {
  readonly latenciesMicros: Readonly<Record<Kind, number[]>>;
  /** The requests that were not served, such as "quote: 503 service_unavailable". */
  readonly failures: readonly string[];
  readonly wallMs: number;
  /** The CPU time of the partners. */
  readonly loadCpuMs: number;
  /** The CPU time of everything else, and what one request of each kind takes of it, by program. */
  readonly cpu: ReturnType<typeof cpuBetween>;
}

const SERVED = /^20[01]/;
const OVERLOADED = "503 service_unavailable";
const GRAMS = "0.001";
const SIGNED_AT_ONCE = 16;

/** Makes `count` requests of each kind, by the partners in turn. */
async function prepare(rig: Rig, count: number): Promise<Readonly<Record<Kind, readonly Uint8Array[]>>> {
  await rig.deployment.renewTokens();
  const ids = await rig.insertQuotes(count);
  const partnerOf = (index: number) => rig.partners[index % rig.partners.length]!;
  const order: Uint8Array[] = [];
  const sign = async (index: number) => void (order[index] = await partnerOf(index).order(ids[index]!));
  await inParallel(SIGNED_AT_ONCE, sign)(count);
  return {
    order,
    quote: ids.map((_, index) => partnerOf(index).quote("buy", GRAMS)),
    read: ids.map((_, index) => partnerOf(index).read("/v1/balances")),
  };
}

/** Keeps `inFlight` requests of each kind in flight, and returns how many of each were served in a second. */
export async function findPeak(
  rig: Rig,
  connections: readonly PartnerConnection[],
  { inFlight, seconds, most }: { inFlight: number; seconds: number; most: number },
): Promise<number> {
  const requests = await prepare(rig, most);
  const startMs = performance.now();
  let done = 0;
  await Promise.all(KINDS.map(async (kind) => {
    let next = 0;
    const work = async () => {
      while (next < most && performance.now() < startMs + seconds * 1000) {
        const index = next++;
        const verdict = verdictOf(
          await connections[index % connections.length]!.send(requests[kind][index]!),
        );
        if (SERVED.test(verdict)) done++;
        else if (verdict !== OVERLOADED) throw new Error(`${kind}: ${verdict}`);
      }
    };
    await Promise.all(Array.from({ length: inFlight }, work));
  }));
  return done / KINDS.length / ((performance.now() - startMs) / 1000);
}

/** Sends `perSecond` requests of each kind. */
export async function sendOpenLoop(
  rig: Rig,
  connections: readonly PartnerConnection[],
  perSecond: number,
  seconds: number,
): Promise<Measured> {
  const latenciesMicros: Record<Kind, number[]> = { quote: [], order: [], read: [] };
  const failures: string[] = [];
  const requests = await prepare(rig, Math.ceil(perSecond * (seconds + 1)));
  let next = 0;
  const arrivals = new Arrivals(async (dueMs) => {
    const number = next++;
    const [kind, index] = [KINDS[number % KINDS.length]!, Math.floor(number / KINDS.length)];
    const verdict = verdictOf(await connections[index % connections.length]!.send(requests[kind][index]!));
    if (SERVED.test(verdict)) latenciesMicros[kind].push((performance.now() - dueMs) * 1000);
    else failures.push(`${kind}: ${verdict}`);
  }, SHORT_TICK_MS);
  const [clock, before] = [startClock(), rig.readCpuMs()];
  arrivals.start(perSecond * KINDS.length);
  await sleep(seconds * 1000);
  await arrivals.stop();
  const { wallMs, cpuMs: loadCpuMs } = clock();
  return {
    latenciesMicros,
    failures,
    wallMs,
    loadCpuMs,
    cpu: cpuBetween(before, rig.readCpuMs(), latenciesMicros.order.length),
  };
}

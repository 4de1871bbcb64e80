// Measured intervals (turns) that report the CPU time of Envoy, of the service, or of both. The CPU time of
// the client and of Postgres is not counted.
import type { SecureVersion } from "node:tls";
import type { Round, Sample } from "../harness.ts";
import { processCpuMs } from "../../testing/process_cpu.ts";
import type { EnvoyStack } from "./stack.ts";
import { Wire } from "../../prove/stage/wire.ts";
import { sendAll } from "../partner.ts";

/** Runs one turn, which gives samples for one contender or for several. */
export type Turn = (turnMs: number) => Promise<Round>;

type Way = "service" | "envoy";

const CONNECTIONS = 16;
const HANDSHAKES_AT_ONCE = 4;
const FIRST_OPERATIONS = 400;

export const ALONE = "service alone";
const BEHIND = "service behind Envoy";
const ENVOY = "Envoy";
export const BOTH = "Envoy and service";

/**
 * Sends requests over kept-alive connections. Sends as many requests as fill the turn at the previous turn's
 * rate.
 */
export function requestTurn(
  stack: EnvoyStack,
  way: Way,
  prepare: (count: number) => Promise<Uint8Array[]>,
): Turn {
  const send = async (operations: number): Promise<Round> => {
    const requests = await prepare(operations);
    const connections = await Promise.all(
      Array.from(
        { length: CONNECTIONS },
        async () => way === "service" ? await Wire.open(stack.socket) : new Wire(await stack.connectTls()),
      ),
    );
    const cpu = startCpu(stack);
    const startMs = performance.now();
    await sendAll(connections, requests);
    const wallMs = performance.now() - startMs;
    const { serviceMs, envoyMs } = cpu();
    const sample = (cpuMs: number): Sample => ({ operations, wallMs, cpuMs });
    return way === "service" ? { [ALONE]: sample(serviceMs) } : {
      [BEHIND]: sample(serviceMs),
      [ENVOY]: sample(envoyMs),
      [BOTH]: sample(serviceMs + envoyMs),
    };
  };
  return filled(send);
}

/** Makes full handshakes with the partner's certificate, without any request after them. */
export function handshakeTurn(stack: EnvoyStack, version: SecureVersion): Turn {
  return filled(async (operations) => {
    let next = 0;
    const worker = async () => {
      for (; next < operations; next++) {
        const socket = await stack.connectTls(version);
        // Wait until the connection has closed, because Envoy has then read the client's last part of the
        // handshake.
        await new Promise((resolve) => socket.once("close", resolve).resume().end());
      }
    };
    const cpu = startCpu(stack);
    const startMs = performance.now();
    await Promise.all(Array.from({ length: HANDSHAKES_AT_ONCE }, worker));
    const wallMs = performance.now() - startMs;
    return { [`Envoy, ${version}`]: { operations, wallMs, cpuMs: cpu().envoyMs } };
  });
}

function filled(send: (operations: number) => Promise<Round>): Turn {
  let perMs: number | undefined;
  const measure = async (operations: number): Promise<Round> => {
    const round = await send(operations);
    perMs = operations / Object.values(round)[0]!.wallMs;
    return round;
  };
  return async (turnMs) => {
    // Before the first turn, warm up and find out the rate.
    if (perMs === undefined) await measure(FIRST_OPERATIONS);
    return await measure(Math.ceil(perMs! * turnMs));
  };
}

function startCpu({ servicePid, envoyPid }: EnvoyStack) {
  const [service, envoy] = [processCpuMs(servicePid), processCpuMs(envoyPid)];
  return () => ({ serviceMs: processCpuMs(servicePid) - service, envoyMs: processCpuMs(envoyPid) - envoy });
}

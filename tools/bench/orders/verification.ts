import { createVerify } from "../../testing/es256_verify.ts";
import { startClock } from "../harness.ts";
import { latencyOf } from "../summary.ts";
import type { Taker } from "./contenders.ts";

const SIGNED_BYTES = 200;

/** Runs one ES256 verification after another with Web Crypto, on the same runtime as the service. */
export async function verificationTaker(): Promise<Taker> {
  const verify = await createVerify(SIGNED_BYTES);
  return {
    async takeTurn(turnMs) {
      const latencies: number[] = [];
      const clock = startClock();
      const startMs = performance.now();
      for (let nowMs = startMs; nowMs < startMs + turnMs;) {
        await verify();
        const beforeMs = nowMs;
        nowMs = performance.now();
        latencies.push((nowMs - beforeMs) * 1000);
      }
      return { operations: latencies.length, ...clock(), ...latencyOf(latencies) };
    },
    stop() {},
  };
}

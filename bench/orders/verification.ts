import process from "node:process";
import { latencyOf } from "../summary.ts";
import type { Taker } from "./contenders.ts";

const ES256 = { name: "ECDSA", hash: "SHA-256" };
const SIGNED_BYTES = 200;

/** One ES256 verification after another with Web Crypto, on the runtime that the service runs on. */
export async function verificationTaker(): Promise<Taker> {
  const { privateKey, publicKey } = await crypto.subtle.generateKey(
    { name: "ECDSA", namedCurve: "P-256" },
    false,
    ["sign", "verify"],
  );
  const signed = crypto.getRandomValues(new Uint8Array(SIGNED_BYTES));
  const signature = await crypto.subtle.sign(ES256, privateKey, signed);
  return {
    async takeTurn(turnMs) {
      const latencies: number[] = [];
      const [startMs, startCpu] = [performance.now(), process.cpuUsage()];
      for (let now = startMs; now < startMs + turnMs;) {
        if (!await crypto.subtle.verify(ES256, publicKey, signature, signed)) {
          throw new Error("A signature of this very key was not valid.");
        }
        const before = now;
        now = performance.now();
        latencies.push((now - before) * 1000);
      }
      const { user, system } = process.cpuUsage(startCpu);
      return {
        operations: latencies.length,
        wallMs: performance.now() - startMs,
        cpuMs: (user + system) / 1000,
        ...latencyOf(latencies),
      };
    },
    stop() {},
  };
}

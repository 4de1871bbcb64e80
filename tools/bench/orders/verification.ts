import process from "node:process";
import { importVerifyingKey } from "@gold-partner/jws";
import { latencyOf } from "../summary.ts";
import type { Taker } from "./contenders.ts";

const ES256 = { name: "ECDSA", hash: "SHA-256" };
const P256 = { name: "ECDSA", namedCurve: "P-256" };
type Jwk = Readonly<Record<"kty" | "crv" | "x" | "y", string>>;
const SIGNED_BYTES = 200;

/** Runs one ES256 verification after another with Web Crypto, on the same runtime as the service. */
export async function verificationTaker(): Promise<Taker> {
  const pair = await crypto.subtle.generateKey(P256, false, ["sign", "verify"]);
  // Import the key, as the service does. Deno recomputes the public key at each verification if Deno
  // generated the key pair.
  const { kty, crv, x, y } = await crypto.subtle.exportKey("jwk", pair.publicKey) as Jwk;
  const publicKey = await importVerifyingKey({ kty, crv, x, y });
  const signed = crypto.getRandomValues(new Uint8Array(SIGNED_BYTES));
  const signature = await crypto.subtle.sign(ES256, pair.privateKey, signed);
  return {
    async takeTurn(turnMs) {
      const latencies: number[] = [];
      const [startMs, startCpu] = [performance.now(), process.cpuUsage()];
      for (let now = startMs; now < startMs + turnMs;) {
        if (!await crypto.subtle.verify(ES256, publicKey, signature, signed)) {
          throw new Error("A valid signature was refused.");
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

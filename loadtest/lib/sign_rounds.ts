// k6 runs this for tools/bench/k6_signing.bench.ts. It compares two contenders: signed requests and plain Web
// Crypto. In each round, each contender is measured once, which is its turn. Each round prints one line.
/// <reference types="k6" />
import type { Signer } from "../../packages/jws/src/mod.ts";
import { importSigningKey, keySigner, signRequest } from "./sign.ts";

type Contender = () => Promise<unknown>;

export const options = { vus: 1, iterations: 1 };

const env = __ENV as { KEY: string; ROUNDS: string; TURN_MS: string };
const REQUEST = {
  method: "POST",
  url: "https://api.gold.example/v1/orders",
  body: new Uint8Array(100).fill(0x20),
  timestamp: "1700000000",
  nonce: "5f0c2a9be1d84736",
};

export default async function (): Promise<void> {
  const key = await importSigningKey(env.KEY);
  const signer = keySigner(key, "bank-1");
  const input = await inputOf(signer);
  const contenders: Record<string, Contender> = {
    signRequest: () => signRequest(REQUEST, signer),
    "crypto.subtle.sign": () => crypto.subtle.sign({ name: "ECDSA", hash: "SHA-256" }, key, input),
  };
  const names = Object.keys(contenders);
  const operations: Record<string, number> = {};
  for (const name of names) operations[name] = await calibrate(contenders[name]!);
  for (let round = 0; round < Number(env.ROUNDS); round++) {
    const samples: Record<string, { operations: number; wallMs: number }> = {};
    for (let turn = 0; turn < names.length; turn++) {
      const name = names[(round + turn) % names.length]!;
      samples[name] = {
        operations: operations[name]!,
        wallMs: await takeTurn(contenders[name]!, operations[name]!),
      };
    }
    console.log(JSON.stringify(samples));
  }
}

/** Captures the bytes that a signed request signs, so that both contenders sign the same input. */
async function inputOf(signer: Signer): Promise<ArrayBuffer> {
  let input = new Uint8Array();
  const sign = (data: Uint8Array): Promise<Uint8Array> => {
    input = data.slice();
    return signer.sign(data);
  };
  await signRequest(REQUEST, { ...signer, sign });
  return input.buffer;
}

async function calibrate(contender: Contender): Promise<number> {
  for (let operations = 100;; operations *= 2) {
    const wallMs = await takeTurn(contender, operations);
    if (wallMs >= Number(env.TURN_MS) / 2) return Math.round(operations * Number(env.TURN_MS) / wallMs);
  }
}

/** Measures in whole milliseconds, because k6 has no finer clock. */
async function takeTurn(contender: Contender, operations: number): Promise<number> {
  const startMs = Date.now();
  for (let index = 0; index < operations; index++) await contender();
  return Date.now() - startMs;
}

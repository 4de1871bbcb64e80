import { setTimeout as sleep } from "node:timers/promises";
import type { TestService } from "@gold-partner/server/testing";

const TIMEOUT_MS = 40_000;

export async function until(what: string, condition: () => Promise<boolean>): Promise<void> {
  const untilMs = performance.now() + TIMEOUT_MS;
  while (!await condition()) {
    if (performance.now() > untilMs) throw new Error(`Did not happen within ${TIMEOUT_MS / 1000} s: ${what}`);
    await sleep(50);
  }
}

export const askHealth = async (service: TestService): Promise<number> =>
  (await service.send("/health", { method: "GET" })).status;

export const askQuote = async (service: TestService): Promise<number> =>
  (await service.send("/v1/quotes", { body: '{"side":"buy","gold_grams":0.001}' })).status;

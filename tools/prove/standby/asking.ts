import type { TestService } from "@gold-partner/server/testing";
import { until } from "../../testing/until.ts";

/** Waits until GET /health has this status. */
export const untilHealth = (service: TestService, status: number): Promise<unknown> =>
  until(async () => (await service.send("/health", { method: "GET" })).status === status);

export const askHealth = async (service: TestService): Promise<number> =>
  (await service.send("/health", { method: "GET" })).status;

export const askQuote = async (service: TestService): Promise<number> =>
  (await service.send("/v1/quotes", { body: '{"side":"buy","gold_grams":0.001}' })).status;

import { describe, it } from "node:test";
import { assertEquals } from "@std/assert";
import { RANK, rankOf } from "./rank.ts";

describe("rankOf()", () => {
  const ranks: readonly (readonly [request: string, rank: keyof typeof RANK])[] = [
    ["POST /v1/orders", "order"],
    ["GET /health", "health"],
    ["POST /oauth/token", "record"],
    ["POST /v1/withdrawals", "record"],
    ["GET /v1/balances?at=2026-11-01", "record"],
    ["GET /v1/orders/ord_1", "record"],
    ["GET /v1/quotes/qt_1?x=1/2", "record"],
    ["POST /v1/quotes", "quote"],
    ["GET /v1/prices", "quote"],
    ["GET /v1/orders", "list"],
    ["GET /v1/orders?limit=100", "list"],
    ["POST /v1/signed-probe", "other"],
    ["POST /v1/events/evt_1/redeliver", "other"],
    ["POST /sandbox/fund", "other"],
    ["GET /v1/events?limit=10", "list"],
    ["GET /v1/statement?from=2026-11-01", "statement"],
    ["DELETE /v1/orders", "other"],
    ["GET /", "other"],
    ["GET /v1/orders/", "record"],
  ];
  for (const [request, rank] of ranks) {
    it(`ranks ${request} as ${rank}`, () => {
      const [method = "", target = ""] = request.split(" ");
      assertEquals(rankOf(method, target), RANK[rank]);
    });
  }
});

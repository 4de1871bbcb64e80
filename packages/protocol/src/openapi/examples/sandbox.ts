import type { SimulationsReply } from "../../schema/mod.ts";
import { FUNDING, SUBMITTED, WITHDRAWAL } from "./money.ts";
import { EVENTS } from "./events.ts";
import { ID, INSTANT } from "./example_values.ts";
import { QUOTES } from "./trading.ts";

const NOTHING = { market: null, prices: null, failure: null, webhooks: null } as const;
const until = INSTANT.read;

export const SIMULATED_WITHDRAWAL = {
  request: { withdrawal_id: ID.withdrawal, outcome: "paid" },
  reply: { ...WITHDRAWAL, ...SUBMITTED, status: "paid" },
} as const;

export const SIMULATED_DEPOSIT = { request: { amount_sar: 100000 }, reply: FUNDING } as const;

export const SIMULATED_REVERSAL = {
  request: { funding_id: ID.funding },
  reply: { ...FUNDING, reversed_at: INSTANT.read },
} as const;

export const SIMULATED_EXPIRY = {
  request: { quote_id: ID.buyQuote },
  reply: { ...QUOTES.buy_by_grams, status: "expired", expires_at: "2026-01-31T09:31:20.000Z" },
} as const;

const { id, type, created_at } = EVENTS["day.closed"];
export const SIMULATED_EVENT = { request: { type }, reply: { id, type, sequence: 18, created_at } } as const;

const MARKET = { ...NOTHING, market: { state: "closed", until } } as const satisfies SimulationsReply;
const PRICES = { ...MARKET, prices: { percent: 10, until } } as const satisfies SimulationsReply;
const FAILURE = {
  ...PRICES,
  failure: { kind: "lost_reply", code: null, seconds: null, remaining: 1, until },
} as const satisfies SimulationsReply;
const WEBHOOKS = {
  ...FAILURE,
  webhooks: { kind: "late", seconds: 20, remaining: 3, until },
} as const satisfies SimulationsReply;

export const ARMED = {
  market: { request: { state: "closed", seconds: 30 }, reply: MARKET },
  prices: { request: { percent: 10 }, reply: PRICES },
  failure: { request: { kind: "lost_reply" }, reply: FAILURE },
  webhooks: { request: { kind: "late", seconds: 20, count: 3 }, reply: WEBHOOKS },
  all: WEBHOOKS,
  none: NOTHING,
} as const;

import {
  emptyRequest,
  fundingReply,
  quoteReply,
  simulateDepositRequest,
  simulateDepositReversalRequest,
  simulatedEventReply,
  simulateEventRequest,
  simulateFailureRequest,
  simulateMarketRequest,
  simulatePricesRequest,
  simulateQuoteExpiryRequest,
  simulateWebhooksRequest,
  simulateWithdrawalRequest,
  simulationsReply,
  withdrawalReply,
} from "../../schema/mod.ts";
import type { EndpointFamily } from "../endpoint.ts";
import {
  ARMED,
  SIMULATED_DEPOSIT,
  SIMULATED_EVENT,
  SIMULATED_EXPIRY,
  SIMULATED_REVERSAL,
  SIMULATED_WITHDRAWAL,
} from "../examples/sandbox.ts";

const SIMULATION = {
  method: "POST",
  tag: "Sandbox",
  token: "required",
  idempotent: true,
  sandboxOnly: true,
} as const;
const JSON_BODY = { mediaType: "application/json" } as const;
const ARMED_REPLY = {
  description: "All simulations that are armed for you now.",
  schema: simulationsReply,
} as const;

export const SANDBOX_ENDPOINTS = {
  simulateWithdrawal: {
    ...SIMULATION,
    path: "/sandbox/simulate/withdrawal",
    summary: "Decide one of your withdrawals",
    description:
      "Takes all steps to the outcome, as the operator's two employees and the bank would, with the same " +
      "events, postings and webhooks. A withdrawal that already has the outcome stays as it is. An " +
      "outcome that the withdrawal can no longer reach gets 409 withdrawal_outcome_unreachable.",
    request: {
      ...JSON_BODY,
      schema: simulateWithdrawalRequest,
      examples: { paid: SIMULATED_WITHDRAWAL.request },
    },
    reply: {
      description: "The withdrawal with its new status.",
      schema: withdrawalReply,
      examples: { paid: SIMULATED_WITHDRAWAL.reply },
    },
    refusals: ["not_found", "withdrawal_outcome_unreachable"],
  },
  simulateDeposit: {
    ...SIMULATION,
    path: "/sandbox/simulate/deposit",
    summary: "Let a bank transfer arrive",
    description:
      "Records and approves a deposit, as two employees of the operator would. Unlike money from " +
      "POST /sandbox/fund, it can be reversed.",
    request: {
      ...JSON_BODY,
      schema: simulateDepositRequest,
      examples: { deposit: SIMULATED_DEPOSIT.request },
    },
    reply: {
      description: "The funding.",
      schema: fundingReply,
      examples: { deposit: SIMULATED_DEPOSIT.reply },
    },
    refusals: ["limit_exceeded"],
  },
  simulateDepositReversal: {
    ...SIMULATION,
    path: "/sandbox/simulate/deposit_reversal",
    summary: "Let the bank take a transfer back",
    description:
      "Reverses a funding that came from a bank transfer. Its amount must be available. A reversed funding " +
      "stays as it is.",
    request: {
      ...JSON_BODY,
      schema: simulateDepositReversalRequest,
      examples: { reversal: SIMULATED_REVERSAL.request },
    },
    reply: {
      description: "The funding, which is now reversed.",
      schema: fundingReply,
      examples: { reversal: SIMULATED_REVERSAL.reply },
    },
    refusals: ["not_found", "insufficient_funds"],
  },
  simulateQuoteExpiry: {
    ...SIMULATION,
    path: "/sandbox/simulate/quote_expiry",
    summary: "Let one of your quotes expire now",
    description:
      "From now on, an order for this quote gets quote_expired. Its `expires_at` becomes the time of this " +
      "request.",
    request: {
      ...JSON_BODY,
      schema: simulateQuoteExpiryRequest,
      examples: { buy_by_grams: SIMULATED_EXPIRY.request },
    },
    reply: {
      description: "The quote, which has expired.",
      schema: quoteReply,
      examples: { buy_by_grams: SIMULATED_EXPIRY.reply },
    },
    refusals: ["not_found", "quote_already_executed"],
  },
  simulateEvent: {
    ...SIMULATION,
    path: "/sandbox/simulate/event",
    summary: "Let an event happen that the operator or the calendar causes",
    description:
      "Makes the records and the event of the real change, which arrives by webhook as usual. Your own " +
      "credentials, IBAN and webhook URL stay as they are. At most one simulated client secret is active: a " +
      "new one first ends the one before it, with its event. A second day.closed closes the day before.",
    request: {
      ...JSON_BODY,
      schema: simulateEventRequest,
      examples: { day: SIMULATED_EVENT.request },
    },
    reply: {
      description: "The event.",
      schema: simulatedEventReply,
      examples: { day: SIMULATED_EVENT.reply },
    },
    refusals: ["not_found"],
  },
  simulateMarket: {
    ...SIMULATION,
    path: "/sandbox/simulate/market",
    summary: "Close the market for yourself",
    description:
      "Only for you, the market is closed, its price is stale, or the vault is short of gold. Ends after " +
      "`seconds`.",
    request: { ...JSON_BODY, schema: simulateMarketRequest, examples: { market: ARMED.market.request } },
    reply: { ...ARMED_REPLY, examples: { market: ARMED.market.reply } },
    refusals: [],
  },
  simulatePrices: {
    ...SIMULATION,
    path: "/sandbox/simulate/prices",
    summary: "Move the prices for yourself",
    description:
      "Your quotes and GET /v1/prices are higher or lower than the real price by this percentage. Quotes " +
      "that you already have keep their price. Ends after `seconds`.",
    request: { ...JSON_BODY, schema: simulatePricesRequest, examples: { prices: ARMED.prices.request } },
    reply: { ...ARMED_REPLY, examples: { prices: ARMED.prices.reply } },
    refusals: [],
  },
  simulateFailure: {
    ...SIMULATION,
    path: "/sandbox/simulate/failure",
    summary: "Let your next requests fail",
    description:
      "Affects your next requests under /v1 that pass the checks of certificate, address, token and " +
      "rate. Ends after `count` requests, or after ten minutes.",
    request: { ...JSON_BODY, schema: simulateFailureRequest, examples: { failure: ARMED.failure.request } },
    reply: { ...ARMED_REPLY, examples: { failure: ARMED.failure.reply } },
    refusals: [],
  },
  simulateWebhooks: {
    ...SIMULATION,
    path: "/sandbox/simulate/webhooks",
    summary: "Delay, repeat or mis-sign your next webhooks",
    description:
      "Affects your next events, not those that exist already. Ends after `count` events, or after ten " +
      "minutes.",
    request: {
      ...JSON_BODY,
      schema: simulateWebhooksRequest,
      examples: { webhooks: ARMED.webhooks.request },
    },
    reply: { ...ARMED_REPLY, examples: { webhooks: ARMED.webhooks.reply } },
    refusals: [],
  },
  getSimulations: {
    method: "GET",
    path: "/sandbox/simulations",
    tag: "Sandbox",
    summary: "Your armed simulations",
    description:
      "Your armed simulations, and when each one ends. Each one ends by itself within ten minutes.",
    token: "required",
    sandboxOnly: true,
    reply: { ...ARMED_REPLY, examples: { all: ARMED.all } },
    refusals: [],
  },
  resetSimulations: {
    ...SIMULATION,
    path: "/sandbox/simulate/reset",
    summary: "End your simulations",
    description:
      "Ends all your armed simulations. Their past effects stay: decided withdrawals, deposits and expired " +
      "quotes. The body may be omitted.",
    request: { ...JSON_BODY, schema: emptyRequest, optional: true, examples: { none: {} } },
    reply: { ...ARMED_REPLY, examples: { none: ARMED.none } },
    refusals: [],
  },
} as const satisfies EndpointFamily;

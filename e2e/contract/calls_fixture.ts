import type { OperationId } from "@gold-partner/protocol";
import type { Call, Caller } from "./caller_fixture.ts";

export interface Records {
  readonly quote: string;
  readonly order: string;
  readonly withdrawal: string;
  /** A withdrawal that can be cancelled. */
  readonly cancelled: string;
  readonly funding: string;
  readonly change: string;
  readonly event: string;
  /** A funding that came from a bank deposit. */
  readonly deposit: string;
  /** A quote that is not executed. */
  readonly expiring: string;
}

/** Makes one record of each kind for the partner. */
export async function makeRecords(caller: Caller): Promise<Records> {
  const make = async (operation: OperationId, body: object) => await caller.succeed(operation, { body });
  const { funding_id } = await make("fundSandbox", { amount_sar: 100000 });
  const { quote_id } = await make("createQuote", { side: "buy", gold_grams: 1 });
  const { order_id } = await make("createOrder", { quote_id });
  const { withdrawal_id } = await make("createWithdrawal", { amount_sar: 5, reference: "FIRST" });
  const { withdrawal_id: cancelled } = await make("createWithdrawal", { amount_sar: 5 });
  const { funding_id: deposit } = await make("simulateDeposit", { amount_sar: 5 });
  const { change_id } = await make("requestChange", { ip_range: "203.0.113.0/24" });
  const { quote_id: expiring } = await make("createQuote", { side: "buy", gold_grams: 1 });
  const { items } = await caller.succeed("listEvents") as { items: { id: string }[] };
  const ids = {
    funding: funding_id,
    quote: quote_id,
    order: order_id,
    withdrawal: withdrawal_id,
    cancelled,
    event: items[0]!.id,
    deposit,
    change: change_id,
    expiring,
  };
  return ids as Records;
}

const DAY_MS = 86_400_000;
const dayOf = (ms: number) => new Date(ms).toISOString().slice(0, 10);

/**
 * From yesterday to tomorrow, so that the range contains a new posting even around midnight and in any time
 * zone.
 */
export const lastDays = () => ({ from: dayOf(Date.now() - DAY_MS), to: dayOf(Date.now() + DAY_MS) });

/** For each operation of the table, a call that succeeds. */
export const callsOf = (
  { form }: Caller,
  records: Records,
  openQuote: string,
): Record<OperationId, Call> => ({
  getHealth: {},
  issueToken: { body: form },
  getTokenKeys: {},
  getAuthorizationServer: {},
  // Strict handling, so that the call needs the same headers as an order.
  probeSignature: { body: "any \u2713 body", headers: { Prefer: "handling=strict" } },
  getAccount: {},
  requestChange: { body: { ip_range: "203.0.113.7" } },
  getChanges: {},
  getChange: { path: { change_id: records.change } },
  getCredentials: {},
  getOpenApi: {},
  getReference: {},
  getErrorCatalogue: {},
  getPrices: {},
  streamPrices: {},
  streamEvents: { query: { after: "0" } },
  createQuote: { body: { side: "sell", amount_sar: 12.34 } },
  getQuote: { path: { quote_id: records.quote } },
  createOrder: { body: { quote_id: openQuote } },
  listOrders: { query: { limit: "1" } },
  getOrder: { path: { order_id: records.order } },
  fundSandbox: { body: { amount_sar: 10 } },
  createWithdrawal: { body: { amount_sar: 1 } },
  cancelWithdrawal: { path: { withdrawal_id: records.cancelled }, body: {} },
  listWithdrawals: { query: { idempotency_key: "nobody's" } },
  getWithdrawal: { path: { withdrawal_id: records.withdrawal } },
  listFundings: { query: { created_after: "2026-01-31T09:30:00.000Z" } },
  getFunding: { path: { funding_id: records.funding } },
  getPriceHistory: { query: { after: "2026-01-31" } },
  getBalances: {},
  listEvents: { query: { after: "1" } },
  getEvent: { path: { event_id: records.event } },
  redeliverEvent: { path: { event_id: records.event }, body: {} },
  testWebhook: { body: {} },
  getStatement: { query: lastDays() },
  getReserves: {},
  getChainKey: {},
  getReservesList: { path: { reserves_list_id: "lst_1" } },
  getLimits: {},
  simulateWithdrawal: { body: { withdrawal_id: records.withdrawal, outcome: "approved" } },
  simulateDeposit: { body: { amount_sar: 10 } },
  simulateDepositReversal: { body: { funding_id: records.deposit } },
  simulateQuoteExpiry: { body: { quote_id: records.expiring } },
  simulateEvent: { body: { type: "credential.ended" } },
  simulateMarket: { body: { state: "vault_short", seconds: 1 } },
  simulatePrices: { body: { percent: 1, seconds: 1 } },
  simulateFailure: { body: { kind: "refused", code: "internal_error" } },
  simulateWebhooks: { body: { kind: "twice" } },
  getSimulations: {},
  resetSimulations: { body: {} },
});

import { randomUUID } from "node:crypto";
import type { TokenProblemCode } from "@gold-partner/protocol";
import type { Caller } from "./caller_fixture.ts";
import { closeMarket, holdAccount, letExpire, takePriceAway } from "./disturbances_fixture.ts";
import type { Stack } from "./stack_fixture.ts";
import { order, orderOf, QUOTE, quote, type Way, WITHDRAWAL, withdrawal } from "./way_fixture.ts";

const MORE_THAN_THE_VAULT_GRAMS = 13_000;
const ANOTHER_BAR = "vault add --serial SECOND --gross 12000 --fineness 999.9 --vault Riyadh";

/** Refusals of a request whose form is valid and whose caller is known. */
export const BUSINESS_WAYS = {
  nonce_reused: withdrawal(async ({ partner }) => {
    const nonce = randomUUID();
    await partner.succeed("createWithdrawal", { ...WITHDRAWAL, nonce });
    return { caller: partner, call: WITHDRAWAL, fault: { nonce } };
  }),
  idempotency_key_conflict: withdrawal(async ({ partner }) => {
    const key = randomUUID();
    await partner.succeed("createWithdrawal", { ...WITHDRAWAL, key });
    return { caller: partner, call: { ...WITHDRAWAL, key }, fault: { body: { amount_sar: 2 } } };
  }),
  idempotency_request_in_progress: withdrawal(async ({ stack, partner }) => {
    return { caller: partner, call: WITHDRAWAL, mend: await holdAccount(stack, partner) };
  }),
  quote_already_executed: order(async ({ partner }) => {
    const call = await orderOf(partner, "buy", 1);
    await partner.succeed("createOrder", call);
    return { caller: partner, call };
  }),
  withdrawal_reference_reused: withdrawal(async ({ stack: { operator }, partner }) => {
    const call = { body: { amount_sar: 1, reference: "RENT" } };
    const { withdrawal_id } = await partner.succeed("createWithdrawal", call);
    return { caller: partner, call, mend: () => operator("withdrawal reject", withdrawal_id as string) };
  }),
  withdrawal_not_pending: {
    operation: "cancelWithdrawal",
    async stage({ partner }) {
      const { withdrawal_id } = await partner.succeed("createWithdrawal", WITHDRAWAL);
      const cancel = { path: { withdrawal_id: withdrawal_id as string }, body: {} };
      await partner.succeed("cancelWithdrawal", cancel);
      return { caller: partner, call: cancel };
    },
  },
  open_changes_exceeded: {
    operation: "requestChange",
    async stage({ stack }) {
      const caller = await stack.onboard("Changing Bank");
      const call = { body: { ip_range: "203.0.113.0/24" } };
      const request = async () => (await caller.succeed("requestChange", call)).change_id as string;
      const declined = [await request(), await request()];
      await request();
      const mend = async () => {
        for (const id of declined) await stack.operator("change decline", id, "--reason", "Test");
      };
      return { caller, call, mend };
    },
  },
  withdrawal_outcome_unreachable: {
    operation: "simulateWithdrawal",
    async stage({ partner }) {
      const { withdrawal_id } = await partner.succeed("createWithdrawal", WITHDRAWAL);
      const call = { body: { withdrawal_id, outcome: "rejected" } };
      await partner.succeed("simulateWithdrawal", call);
      return { caller: partner, call, fault: { body: { withdrawal_id, outcome: "paid" } } };
    },
  },
  quote_expired: order(async ({ stack, partner }) => {
    const call = await orderOf(partner, "buy", 1);
    return { caller: partner, call, mend: await letExpire(stack, call.body.quote_id) };
  }),
  insufficient_funds: order(async ({ poor }) => {
    const call = await orderOf(poor, "buy", 1);
    return { caller: poor, call, mend: () => poor.succeed("fundSandbox", { body: { amount_sar: 10_000 } }) };
  }),
  insufficient_gold: order(async ({ poor }) => {
    const call = await orderOf(poor, "sell", 1);
    return {
      caller: poor,
      call,
      mend: async () => poor.succeed("createOrder", await orderOf(poor, "buy", 1)),
    };
  }),
  insufficient_inventory: order(async ({ stack: { operator }, other }) => {
    await operator("partner set", other.credentials.client_id, "--max-grams", "100000");
    await other.until(async (reply) => (await reply.text()).includes('"maximum":100000}'), "getLimits");
    const call = await orderOf(other, "buy", MORE_THAN_THE_VAULT_GRAMS);
    return { caller: other, call, mend: () => operator(ANOTHER_BAR) };
  }),
  limit_exceeded: withdrawal(async ({ partner }) => {
    return { caller: partner, call: { body: { amount_sar: 10_000_000_000.01 } } };
  }),
  market_closed: quote(async ({ stack, partner }) => {
    return { caller: partner, call: QUOTE, mend: await closeMarket(stack) };
  }),
  price_unavailable: quote(async ({ stack, partner }) => {
    return { caller: partner, call: QUOTE, mend: await takePriceAway(stack) };
  }),
  open_quotes_exceeded: quote(async ({ stack: { operator }, other }) => {
    await orderOf(other, "buy", 1);
    await setLimit(operator, other, "open-quotes", "1");
    return { caller: other, call: QUOTE, mend: () => setLimit(operator, other, "open-quotes", "unlimited") };
  }),
  daily_budget_exceeded: quote(async ({ stack: { operator }, other }) => {
    await setLimit(operator, other, "daily-records", "1");
    await orderOf(other, "buy", 1);
    return {
      caller: other,
      call: QUOTE,
      mend: () => setLimit(operator, other, "daily-records", "unlimited"),
    };
  }),
  net_position_exceeded: quote(async ({ stack: { operator }, other }) => {
    await setLimit(operator, other, "net-grams", "0.5");
    return { caller: other, call: QUOTE, mend: () => setLimit(operator, other, "net-grams", "unlimited") };
  }),
  exposure_exceeded: quote(async ({ stack: { operator }, partner }) => {
    await operator("market set --exposure 0.0001");
    return { caller: partner, call: QUOTE, mend: () => operator("market set --exposure unlimited") };
  }),
  withdrawal_limit_exceeded: withdrawal(async ({ stack: { operator }, other }) => {
    await setLimit(operator, other, "daily-withdrawn", "0.5");
    return {
      caller: other,
      call: WITHDRAWAL,
      mend: () => setLimit(operator, other, "daily-withdrawn", "unlimited"),
    };
  }),
} as const satisfies Partial<Record<TokenProblemCode, Way>>;

const setLimit = (operator: Stack["operator"], { credentials }: Caller, name: string, value: string) =>
  operator("partner set", credentials.client_id, `--${name}`, value);

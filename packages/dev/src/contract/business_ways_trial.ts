import { randomUUID } from "node:crypto";
import type { TokenProblemCode } from "@gold-partner/protocol";
import type { Call } from "./caller_trial.ts";
import { holdAccount } from "./locks_trial.ts";
import { orderOf, type Scene, type Staged, type Way, WITHDRAWAL } from "./way_trial.ts";

const withdrawal = (stage: (scene: Scene) => Promise<Staged>): Way => ({
  operation: "createWithdrawal",
  stage,
});
const order = (stage: (scene: Scene) => Promise<Staged>): Way => ({ operation: "createOrder", stage });
const quote = (stage: (scene: Scene) => Promise<Staged>): Way => ({ operation: "createQuote", stage });

const QUOTE: Call = { body: { side: "buy", gold_grams: 1 } };
const MORE_THAN_THE_VAULT_GRAMS = 13_000;

/** The request is sound and the caller known. */
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
  idempotency_request_in_progress: withdrawal(async ({ house, partner }) => {
    const release = await holdAccount(house, partner);
    return { caller: partner, call: WITHDRAWAL, mend: release };
  }),
  quote_already_executed: order(async ({ partner }) => {
    const call = await orderOf(partner, "buy", 1);
    await partner.succeed("createOrder", call);
    return { caller: partner, call };
  }),
  withdrawal_reference_reused: withdrawal(async ({ house: { operator }, partner }) => {
    const call = { body: { amount_sar: 1, reference: "RENT" } };
    const { withdrawal_id } = await partner.succeed("createWithdrawal", call);
    return { caller: partner, call, mend: () => operator("withdrawal reject", withdrawal_id as string) };
  }),
  quote_expired: order(async ({ house, partner }) => {
    const call = await orderOf(partner, "buy", 1);
    // Nobody can make the database's time pass, nor change a quote but by leaving its triggers out.
    const moveExpiry = (minutes: number) =>
      house.sql.begin(async (sql) => {
        const uuid = (call.body as { quote_id: string }).quote_id.slice("qt_".length);
        await sql`set local session_replication_role = replica`;
        await sql`update gold.quote set expires_at = expires_at + make_interval(mins => ${minutes}) where id = ${uuid}`;
      });
    await moveExpiry(-2);
    return { caller: partner, call, mend: () => moveExpiry(2) };
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
  insufficient_inventory: order(async ({ house: { operator }, other }) => {
    await operator("partner set", other.credentials.client_id, "--max-grams", "100000");
    await other.until(async (reply) => (await reply.json()).gold_grams.maximum === 100_000, "getLimits");
    const call = await orderOf(other, "buy", MORE_THAN_THE_VAULT_GRAMS);
    const bar = "vault add --serial SECOND --gross 12000 --fineness 999.9 --vault Riyadh";
    return { caller: other, call, mend: () => operator(bar) };
  }),
  limit_exceeded: withdrawal(async ({ partner }) => {
    return { caller: partner, call: { body: { amount_sar: 10_000_000_000.01 } } };
  }),
  market_closed: quote(async ({ house: { operator }, partner }) => {
    await operator("price set --open never");
    return { caller: partner, call: QUOTE, mend: () => operator("price set --open always") };
  }),
  // From a source that has never answered.
  price_unavailable: quote(async ({ house: { operator }, partner }) => {
    await operator("price set --source http --url https://localhost:1/price");
    return { caller: partner, call: QUOTE, mend: () => operator("price set --source fixed --mid 500") };
  }),
} as const satisfies Partial<Record<TokenProblemCode, Way>>;

// Only the compiler checks this file; nothing imports it. If a guarantee did not hold, the file would not
// compile.
import type {
  AccountReply,
  BalancesReply,
  ChainKeyReply,
  ChangeReply,
  ChangesReply,
  CredentialsReply,
  EventReply,
  FundingCreatedReply,
  FundingReply,
  HealthReply,
  LimitsReply,
  OrderCreatedReply,
  OrderReply,
  PriceHistoryReply,
  PricesReply,
  ProbeReply,
  QuoteReply,
  ReservesListReply,
  ReservesReply,
  SimulationsReply,
  StatementReply,
  WebhookEvent as WebhookBody,
  WithdrawalCreatedReply,
  WithdrawalReply,
} from "@gold-partner/protocol";
import type * as own from "./api_types.ts";
import type { GoldClient } from "./gold_client.ts";
import { GoldError } from "./gold_error.ts";
import type { Grams, Quantity, Sar, SarPerGram } from "./quantity.ts";

/**
 * The schema's type of a reply, with a Quantity in place of each quantity's number, as readValue() returns
 * it.
 */
type Exact<T, U> = T extends number ? [U] extends [never] ? T : U
  : T extends string | boolean | null ? T
  : T extends (infer Item)[] ? Exact<Item, U>[]
  : { [Name in keyof T]: Exact<T[Name], UnitOf<Name, U>> };
type UnitOf<Name, U> = Name extends "price_per_gram_sar" | "buy_price" | "sell_price" ? SarPerGram
  : Name extends "sar" | `${string}_sar` ? Sar
  : Name extends "grams" | `${string}_grams` ? Grams
  : U;
type Same<A, B> = (<T>() => T extends Flat<A> ? 1 : 2) extends <T>() => T extends Flat<B> ? 1 : 2 ? true
  : false;
type Flat<T> = T extends string ? T
  : T extends Quantity<infer U> ? { quantity: U }
  : T extends object ? { [Name in keyof T]: Flat<T[Name]> }
  : T;
/**
 * A statement without its postings. The unit of a posting's numbers follows from its `account`, not from the
 * names of the numbers.
 */
type Unposted<T> = Omit<T, "postings">;
type Posting<T> = T extends { postings: (infer Item)[] } ? Item : never;
type PostingOn<T, Account> = T extends { account: infer A } ? Account extends A ? Omit<T, "account"> : never
  : never;
type ByType<E extends { type: string }> = {
  [Type in E["type"]]: E extends { type: infer T } ? Type extends T ? Omit<E, "type"> : never : never;
};

type OwnPosting = own.Statement["postings"][number];
/** The generated types equal those that the schemas of the service infer. */
type EveryReplyIsTheService = [
  Same<own.Health, Exact<HealthReply, never>>,
  Same<own.Account, Exact<AccountReply, never>>,
  Same<own.AccountChange, Exact<ChangeReply, never>>,
  Same<own.AccountChanges, Exact<ChangesReply, never>>,
  Same<own.Prices, Exact<PricesReply, never>>,
  Same<own.PriceHistory, Exact<PriceHistoryReply, never>>,
  Same<own.Balances, Exact<BalancesReply, never>>,
  Same<own.Quote, Exact<QuoteReply, never>>,
  Same<own.Order, Exact<OrderReply, never>>,
  Same<own.OrderCreated, Exact<OrderCreatedReply, never>>,
  Same<own.Withdrawal, Exact<WithdrawalReply, never>>,
  Same<own.WithdrawalCreated, Exact<WithdrawalCreatedReply, never>>,
  Same<own.Funding, Exact<FundingReply, never>>,
  Same<own.FundingCreated, Exact<FundingCreatedReply, never>>,
  Same<Unposted<own.Statement>, Unposted<Exact<StatementReply, never>>>,
  Same<OwnPosting["account"], Posting<StatementReply>["account"]>,
  Same<PostingOn<OwnPosting, "gold_grams">, Exact<Omit<Posting<StatementReply>, "account">, Grams>>,
  Same<PostingOn<OwnPosting, "held_sar">, Exact<Omit<Posting<StatementReply>, "account">, Sar>>,
  Same<own.Reserves, Exact<ReservesReply, never>>,
  Same<own.ReservesList, Exact<ReservesListReply, never>>,
  Same<own.Simulations, Exact<SimulationsReply, never>>,
  Same<own.Limits, Exact<LimitsReply, never>>,
  Same<own.ChainKey, Exact<ChainKeyReply, never>>,
  Same<own.Credentials, Exact<CredentialsReply, never>>,
  Same<own.ProbeVerdict, Exact<ProbeReply, never>>,
  Same<ByType<own.AccountEvent>, Exact<ByType<EventReply>, never>>,
  Same<ByType<own.WebhookEvent>, Exact<ByType<WebhookBody>, never>>,
];
const everyReplyIsTheService: EveryReplyIsTheService extends true[] ? true : never = true;

declare const client: GoldClient;
declare const error: unknown;

const guarantees = {
  everyReplyIsTheService,
  typoInCode: () => {
    if (!(error instanceof GoldError)) throw error;
    // @ts-expect-error: no error has this code
    return error.code === "insuficient_funds";
  },
  codeOfNewerService: () => {
    if (!(error instanceof GoldError)) throw error;
    return error.code === "unknown_code" && error.serviceCode === "gold_is_molten";
  },
  /** Compiles, because the compiler knows every code. */
  everyCode: (code: GoldError["code"] & `insufficient_${string}`): string => {
    switch (code) {
      case "insufficient_funds":
        return "SAR";
      case "insufficient_gold":
      case "insufficient_inventory":
        return "gold";
    }
  },
  repeatedWrite: (): string | undefined => {
    if (!(error instanceof GoldError)) throw error;
    const { idempotencyKey } = error;
    // @ts-expect-error: a read has no key
    idempotencyKey satisfies string;
    return error.outcomeUnknown ? error.idempotencyKey satisfies string : undefined;
  },
  // @ts-expect-error: a write whose outcome is unknown has a key
  outcomeWithoutKey: () => new GoldError("timed_out", "", { outcomeUnknown: true }),
  orderOfQuote: async () =>
    await client.placeOrder(await client.createQuote({ side: "buy", gold_grams: "1" })),
  // @ts-expect-error: a quantity is never a number
  numberAsQuantity: () => client.createQuote({ side: "buy", gold_grams: 1.5 }),
  // @ts-expect-error: a quote is by gold or by amount, not by both
  goldAndAmount: () => client.createQuote({ side: "buy", gold_grams: "1", amount_sar: "500" }),
  pages: async (): Promise<own.Order[]> => {
    const page = await client.listOrders({ limit: 20 });
    const next = page.next_cursor === null
      ? []
      : (await client.listOrders({ cursor: page.next_cursor })).items;
    for await (const order of client.listOrders()) order satisfies own.Order;
    return [...page.items, ...next];
  },
};
void guarantees;

import { describe, it } from "node:test";
import { assert, assertEquals } from "@std/assert";
import {
  type BalancesReply,
  type CredentialsReply,
  ENDPOINTS,
  type EventReply,
  type FundingCreatedReply,
  type FundingReply,
  type HealthReply,
  type LimitsReply,
  type OperationId,
  type OrderCreatedReply,
  type OrderReply,
  type PricesReply,
  type ProbeReply,
  type QuoteReply,
  type ReservesReply,
  type StatementReply,
  type WebhookEvent as WebhookBody,
  type WithdrawalCreatedReply,
  type WithdrawalReply,
} from "@gold-partner/protocol";
import { type Grams, Quantity, type Sar, type SarPerGram } from "./quantity.ts";
import { toPlain } from "./plain_value_fixture.ts";
import type * as own from "./reply.ts";
import type { AccountEvent, WebhookEvent } from "./webhook_event.ts";
import { readValue } from "./wire_value.ts";

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
type Flat<T> = T extends Quantity<infer U> ? { quantity: U }
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

type EveryReplyIsTheService = [
  Same<own.Health, Exact<HealthReply, never>>,
  Same<own.Prices, Exact<PricesReply, never>>,
  Same<own.Balances, Exact<BalancesReply, never>>,
  Same<own.Quote, Exact<QuoteReply, never>>,
  Same<own.Order, Exact<OrderReply, never>>,
  Same<own.PlacedOrder, Exact<OrderCreatedReply, never>>,
  Same<own.Withdrawal, Exact<WithdrawalReply, never>>,
  Same<own.CreatedWithdrawal, Exact<WithdrawalCreatedReply, never>>,
  Same<own.Funding, Exact<FundingReply, never>>,
  Same<own.SandboxFunding, Exact<FundingCreatedReply, never>>,
  Same<Unposted<own.Statement>, Unposted<Exact<StatementReply, never>>>,
  Same<own.Posting["account"], Posting<StatementReply>["account"]>,
  Same<PostingOn<own.Posting, "gold_grams">, Exact<Omit<Posting<StatementReply>, "account">, Grams>>,
  Same<PostingOn<own.Posting, "held_sar">, Exact<Omit<Posting<StatementReply>, "account">, Sar>>,
  Same<own.Reserves, Exact<ReservesReply, never>>,
  Same<own.Limits, Exact<LimitsReply, never>>,
  Same<own.Credentials, Exact<CredentialsReply, never>>,
  Same<own.ProbeVerdict, Exact<ProbeReply, never>>,
  Same<ByType<AccountEvent>, Exact<ByType<EventReply>, never>>,
  Same<ByType<WebhookEvent>, Exact<ByType<WebhookBody>, never>>,
];
const everyReplyIsTheService: EveryReplyIsTheService extends true[] ? true : never = true;

const namesOfNumbers = (value: unknown, name = ""): string[] => {
  if (typeof value === "number") return [name];
  if (value instanceof Quantity || typeof value !== "object" || value === null) return [];
  return Object.entries(value).flatMap(([key, member]) =>
    namesOfNumbers(member, Array.isArray(value) ? name : key)
  );
};

const COUNTS = new Set([
  ...["sequence", "http_status", "duration_ms", "quote_ttl_seconds", "requests_per_second", "burst"],
  ...["maximum_quotes", "quotes", "maximum_records", "records"],
  ...["expires_in", "fineness", "coverage", "clock_offset_seconds"],
]);

describe("readValue()", () => {
  it("reads every documented reply, and all numbers except counts, ratios and times as quantities", () => {
    assert(everyReplyIsTheService);
    for (const operation of Object.keys(ENDPOINTS) as OperationId[]) {
      for (const example of Object.values(ENDPOINTS[operation].reply.examples)) {
        const value = readValue(new TextEncoder().encode(JSON.stringify(example)));
        assertEquals(toPlain(value), toPlain(JSON.parse(JSON.stringify(example))), operation);
        for (const name of namesOfNumbers(value)) {
          assert(COUNTS.has(name), `${operation}: ${name} is a number`);
        }
      }
    }
  });

  it("reads digits that a double cannot hold", () => {
    const { total_sar } = readValue(
      new TextEncoder().encode('{"total_sar":9007199254740993.01}'),
    ) as own.Order;
    assertEquals(`${total_sar}`, "9007199254740993.01");
  });

  it("takes a posting's unit from its account", () => {
    const text =
      '{"postings":[{"account":"gold_grams","change":-0.0001},{"account":"held_sar","change":5.10}]}';
    assertEquals(readValue(new TextEncoder().encode(text)), {
      postings: [
        { account: "gold_grams", change: Quantity.grams("-0.0001") },
        { account: "held_sar", change: Quantity.sar("5.1") },
      ],
    });
  });
});

import { randomUUID } from "node:crypto";
import type { TestPartner } from "../../testing/partner.ts";
import type { TestService } from "../../testing/service.ts";
import {
  fundingCreatedReply,
  type OrderCreatedReply,
  orderCreatedReply,
  quoteReply,
  withdrawalCreatedReply,
} from "@gold-partner/protocol";
import { assertEquals } from "@std/assert";
import type { z } from "zod";

/** One partner's view of a test service: its writes and its reads. */
export interface Account {
  readonly partner: TestPartner;
  fund(amountSar: number, key?: string): Promise<string>;
  quote(side: "buy" | "sell", grams: number, key?: string): Promise<string>;
  /** Asks for a quote and executes it. */
  trade(side: "buy" | "sell", grams: number, key?: string): Promise<OrderCreatedReply>;
  execute(quoteId: string, key?: string): Promise<OrderCreatedReply>;
  withdraw(amountSar: number, key?: string): Promise<string>;
  get(path: string, headers?: Record<string, string | null>): Promise<Response>;
  /** Reads a reply and checks that it has exactly the members of its schema, at every depth. */
  read<Schema extends z.ZodType>(path: string, schema: Schema): Promise<z.output<Schema>>;
}

export async function openAccount(service: TestService): Promise<Account> {
  const partner = await service.addPartner();
  const post = async <Schema extends z.ZodType>(
    path: string,
    body: unknown,
    schema: Schema,
    key: string = randomUUID(),
  ): Promise<z.output<Schema>> => {
    const headers = { "Idempotency-Key": key };
    const reply = await service.signed(path, JSON.stringify(body), { partner, headers });
    assertEquals(reply.status, 201, path);
    return schema.parse(await reply.json());
  };
  const account: Account = {
    partner,
    fund: async (amountSar, key) =>
      (await post("/sandbox/fund", { amount_sar: amountSar }, fundingCreatedReply, key)).funding_id,
    quote: async (side, grams, key) =>
      (await post("/v1/quotes", { side, gold_grams: grams }, quoteReply, key)).quote_id,
    trade: async (side, grams, key) => await account.execute(await account.quote(side, grams), key),
    execute: (quoteId, key) => post("/v1/orders", { quote_id: quoteId }, orderCreatedReply, key),
    withdraw: async (amountSar, key) =>
      (await post("/v1/withdrawals", { amount_sar: amountSar }, withdrawalCreatedReply, key)).withdrawal_id,
    get: (path, headers = {}) => service.send(path, { method: "GET", partner, headers }),
    async read(path, schema) {
      const reply = await account.get(path);
      const text = await reply.text();
      assertEquals([reply.status, reply.headers.get("Content-Type")], [200, "application/json"], text);
      assertEquals(reply.headers.get("Cache-Control"), "no-store");
      const value = JSON.parse(text);
      const parsed = schema.parse(value);
      assertEquals(parsed, value);
      return parsed;
    },
  };
  return account;
}

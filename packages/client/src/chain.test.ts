import { Buffer } from "node:buffer";
import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { describe, it } from "node:test";
import { assertEquals } from "@std/assert";
import type { AccountEvent } from "./api_types.ts";
import { chainAnswer, chainHead, chainSalt } from "./chain.ts";
import { lineMembers } from "./chain_line.ts";
import { Quantity } from "./quantity.ts";
import { ORDER, play, problem, reply } from "./scripted_transport_fixture.ts";
import type { SignedExchange } from "./signed_exchange.ts";

interface Balance {
  readonly available_sar: number;
  readonly held_sar: number;
  readonly gold_grams: number;
}

interface Vector {
  readonly name: string;
  readonly sequence: number;
  readonly members: string;
  readonly answer?: {
    readonly key: string;
    readonly fingerprint: string;
    readonly status: number;
    readonly request_id: string;
    readonly body_utf8: string;
    readonly thumbprint?: string;
    readonly signed?: Omit<SignedExchange, "body"> & { readonly body_utf8: string };
  };
  readonly day?: { readonly opening_balance: Balance; readonly closing_balance: Balance };
  readonly webhook_endpoint?: object;
  readonly answer_sha256?: string;
  readonly chain_key?: string;
  readonly salt?: string;
  readonly line: string;
  readonly previous_chain_head: string;
  readonly chain_head: string;
}

const { cases } = JSON.parse(
  readFileSync(new URL("../../../vectors/chain.json", import.meta.url), "utf8"),
) as { readonly cases: readonly Vector[] };

const ID = "019c18c0-0000-7000-8000-00000000000";
const withdrawal = (status: string) => ({
  withdrawal: { withdrawal_id: `wd_${ID}3`, amount_sar: Quantity.sar("40"), status },
});
const order = (id: number, gold: string, total: string) => ({
  order: {
    order_id: `ord_${ID}${id}`,
    side: "buy",
    gold_grams: Quantity.grams(gold),
    price_per_gram_sar: Quantity.parse("321", "SAR/g"),
    total_sar: Quantity.sar(total),
  },
});

/** The day as the client returns it. */
function dayOf({ opening_balance, closing_balance, ...day }: NonNullable<Vector["day"]>) {
  const balanceOf = ({ available_sar, held_sar, gold_grams }: Balance) => ({
    available_sar: Quantity.sar(`${available_sar}`),
    held_sar: Quantity.sar(`${held_sar}`),
    gold_grams: Quantity.grams(`${gold_grams}`),
  });
  return { ...day, opening_balance: balanceOf(opening_balance), closing_balance: balanceOf(closing_balance) };
}

/** The events of the vectors' records. */
const EVENTS = [
  {
    type: "funding.completed",
    data: { funding: { funding_id: `fnd_${ID}1`, amount_sar: Quantity.sar("1000") } },
  },
  { type: "order.executed", data: order(2, "1.5", "481.5") },
  { type: "withdrawal.created", data: withdrawal("pending_approval") },
  { type: "withdrawal.approved", data: withdrawal("approved") },
  { type: "order.executed", data: order(4, "0.1", "32.1") },
  { type: "day.closed", data: { day: dayOf(cases[5]!.day!) }, id: `evt_${ID}5` },
  ...[6, 7].map((at) => ({
    ...{ type: "webhook_endpoint.changed", id: `evt_${ID}${at}` },
    data: { webhook_endpoint: cases[at]!.webhook_endpoint! },
  })),
].map((event, index) => ({
  ...event,
  sequence: index + 1,
  created_at: new Date(Number(cases[index]!.members.split("|")[4])).toISOString(),
})) as unknown as readonly AccountEvent[];

describe("the hash chain, computed by a partner", () => {
  it("has the members of the vectors, except the hash that no event contains", () => {
    let balances = { available: 0n, held: 0n, gold: 0n };
    for (const [index, { name, members }] of cases.entries()) {
      const record = lineMembers(EVENTS[index]!, 1, balances)!;
      balances = record.after.at(-1) ?? balances;
      const given = members.split("|");
      assertEquals(record.members.map(({ value }, at) => value ?? given[at]), given, name);
      const unknown = record.members.filter(({ value }) => value === undefined).length;
      assertEquals(unknown, name.includes("withdrawal") ? 1 : 0, name);
    }
    assertEquals(balances, { available: 44640n, held: 4000n, gold: 16000n });
  });

  it("hashes the number of an endpoint and its end, with neither for an event from before 0.7.0", () => {
    const url = "https://bank.example/hook";
    const at = "2026-11-30T12:00:00.000Z";
    const by = { changed_by: "sara", approved_by: "omar" };
    const hashOf = (endpoint: object, more: object = {}) => {
      const data = { webhook_endpoint: { url, ...endpoint, ...by } };
      const frame = { type: "webhook_endpoint.changed", id: `evt_${ID}6`, sequence: 7, created_at: at };
      const event = { ...frame, data, ...more } as unknown as AccountEvent;
      const { members } = lineMembers(event, 1, { available: 0n, held: 0n, gold: 0n })!;
      return members.find(({ name }) => name === "change")!.value;
    };
    const written = (kid: string, end: string) =>
      createHash("sha256").update(`[null, null, ${kid}, null, ${end}, null, "${url}", "sara", "omar"]`)
        .digest("hex");
    assertEquals(hashOf({}), written("null", "null"));
    assertEquals(hashOf({ endpoint: 1, removed_at: null }), written("null", "null"));
    assertEquals(hashOf({ endpoint: 2, removed_at: null }), written('"2"', "null"));
    assertEquals(hashOf({ endpoint: 5, removed_at: at }), written('"5"', "1796040000000"));
    assertEquals(hashOf({ endpoint: 1, removed_at: at }), written("null", "1796040000000"));
    const sent = { previous_sequence: 3, deliveries: [{ endpoint: 2, status: "pending" }] };
    assertEquals(hashOf({ endpoint: 2, removed_at: null }, sent), written('"2"', "null"));
  });

  it("has the answers, salts and heads of the vectors", () => {
    for (const vector of cases) {
      const { name, answer, chain_key, sequence } = vector;
      if (answer?.signed) {
        const { body_utf8: body, ...signed } = answer.signed;
        const { key: idempotency_key, status, request_id, body_utf8: reply, fingerprint } = answer;
        const exchange = { ...signed, body, idempotency_key, status, request_id: `req_${request_id}`, reply };
        const thumbprint = Buffer.from(answer.thumbprint!, "hex").toString("base64url");
        assertEquals(chainAnswer(exchange, thumbprint, fingerprint), vector.answer_sha256, name);
      }
      if (chain_key) assertEquals(chainSalt(chain_key, sequence), vector.salt, name);
      assertEquals(chainHead(vector.previous_chain_head, vector.line), vector.chain_head, name);
    }
    assertEquals(chainHead(undefined, cases[0]!.line), cases[0]!.chain_head);
  });
});

describe("onExchange", () => {
  it("gets every try of a signed write with its own signature, and nothing secret", async () => {
    const kept: SignedExchange[] = [];
    const onExchange = (exchange: SignedExchange) => {
      kept.push(exchange);
      throw new Error("it must not replace the result");
    };
    const answers = [
      new Error("the connection broke"),
      problem(503, "service_unavailable"),
      reply(201, ORDER, { "X-Request-Id": "req_7" }),
      reply(200, { status: "ok" }),
    ];
    const { client, sent, tokens } = await play(answers, { onExchange });
    await client.placeOrder({ quote_id: "qt_1" }, { idempotencyKey: "key-1" });
    await client.getHealth();
    assertEquals(kept.map(({ status, request_id }) => [status, request_id]), [
      [null, null],
      [503, null],
      [201, "req_7"],
    ]);
    const [, , last] = kept;
    assertEquals(kept.map(({ nonce }) => nonce), sent.slice(0, 3).map(({ headers }) => headers["X-Nonce"]));
    assertEquals(last, {
      ...{ idempotency_key: "key-1", method: "POST", target: "/v1/orders", body: '{"quote_id":"qt_1"}' },
      timestamp: sent[2]!.headers["X-Timestamp"]!,
      nonce: sent[2]!.headers["X-Nonce"]!,
      signature: sent[2]!.headers["X-JWS-Signature"]!,
      ...{ status: 201, request_id: "req_7", reply: JSON.stringify(ORDER) },
    });
    assertEquals([tokens.length, JSON.stringify(kept).includes("token-1")], [1, false]);
  });
});

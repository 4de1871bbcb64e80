import { randomBytes, randomUUID } from "node:crypto";
import { readJson } from "@gold-partner/canonical";
import { hostBytes, idempotencyFingerprint } from "@gold-partner/protocol";
import type { Sql } from "postgres";
import type { SignedWrite } from "../src/admission/admitted_write.ts";
import type { JsonBytes } from "../src/admission/body/read_body.ts";
import { nonceUuid } from "../src/admission/signature/nonce_uuid.ts";
import { storedRequest, thumbprintHex } from "../src/admission/signature/stored_request.ts";
import type { Sending } from "../src/booking/batcher.ts";
import { byGrams, fundingItem, orderItem, quoteItem } from "../src/booking/fixture.ts";
import { sendFunding } from "../src/booking/funding/book_funding.ts";
import { sendOrders } from "../src/booking/trading/book_orders.ts";
import { sendQuotes } from "../src/booking/trading/book_quotes.ts";
import { stamp } from "../src/admission/ticket.ts";
import { newTestKey, signTestRequest, type TestKey } from "./partner.ts";

/** Signs a POST and returns what admission passes to booking. `url` is the base URL and the path. */
export async function signWrite(
  { signer, thumbprint }: Pick<TestKey, "signer" | "thumbprint">,
  url: URL,
  body: string,
): Promise<Pick<SignedWrite, "fingerprint" | "nonce" | "signedRequest" | "thumbprint">> {
  const bytes = stamp<JsonBytes>(hostBytes.utf8(body));
  const signed = { timestamp: `${Math.floor(Date.now() / 1000)}`, nonce: randomUUID(), body: bytes };
  const headers = await signTestRequest({ method: "POST", url: url.href, ...signed }, signer);
  const request = { ...signed, signature: headers["X-JWS-Signature"] };
  return {
    fingerprint: idempotencyFingerprint(
      { method: "POST", path: url.pathname, params: readJson(bytes) },
      hostBytes,
    ),
    nonce: nonceUuid(signed.nonce),
    signedRequest: storedRequest("POST", url.pathname, request),
    thumbprint: thumbprintHex(thumbprint),
  };
}

/** A partner that only trades. */
export interface Trader {
  readonly client: number;
  readonly key: TestKey;
}

const FUNDS_HALALAS = 100_000_000n;

/** Creates a partner with a signing key by the operator's function, and funds it. */
export async function createTrader(sql: Sql): Promise<Trader> {
  const key = await newTestKey();
  const keys = JSON.stringify([{ thumbprint: key.thumbprint, jwk: key.publicJwk }]);
  const [row] = await sql`
    select gold.create_partner(${`sbx_${
    randomBytes(10).toString("hex")
  }`}, 'Test', 'SA0380000000608010167519', null, 2000, 2000,
      10000000, '{127.0.0.1/32}', sha256(''), '\\x00', 'none', ${keys}::text::jsonb) as client`;
  const { client } = row as { client: number };
  const funding = fundingItem(client, FUNDS_HALALAS);
  await sendFunding(sql)([funding], WAITING);
  return { client, key };
}

/**
 * Books a quote and a signed order for each trader: one call books all quotes, another one all orders. A call
 * takes 64 traders at most. `texts` are members of the signed requests, which booking gets, too, unless they are
 * `lost`.
 *
 * @throws Error when a quote or an order is refused.
 */
export async function bookSignedOrders(
  sql: Sql,
  traders: readonly Trader[],
  baseUrl: string,
  side: "buy" | "sell",
  tenthMilligrams: bigint,
  texts: Readonly<Record<string, string>> = {},
  lost: Readonly<Record<string, string>> = {},
): Promise<void> {
  const quotes = traders.map(({ client }) => quoteItem(client, byGrams(side, tenthMilligrams)));
  const url = new URL("/v1/orders", baseUrl);
  const orders = await Promise.all(traders.map(async ({ client, key }, index) => {
    const quote_id = `qt_${quotes[index]!.id}`;
    const signed = await signWrite(key, url, JSON.stringify({ quote_id, ...texts, ...lost }));
    return orderItem(client, quotes[index]!.id, { ...signed, asked: { quote_id, ...texts } });
  }));
  const outcomes = [
    ...await sendQuotes(sql)(quotes, WAITING),
    ...await sendOrders(sql)(orders, WAITING),
  ];
  const refused = outcomes.find(({ status }) => status !== 201);
  if (refused) throw new Error(`A quote or an order was refused: ${refused.outcome} ${refused.body}`);
}

const WAITING: Sending = { wait: true, settle: false };

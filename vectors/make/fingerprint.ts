import { createHash } from "node:crypto";
import type { VectorFile } from "./vector_file.ts";

interface Request {
  readonly name: string;
  readonly path: string;
  readonly body: string;
  /** The text that is hashed. It is written by hand. */
  readonly canonical: string;
}

const BUY = '{"method":"POST","params":{"gold_grams":"1.5","side":"buy"},"path":"/v1/quotes"}';
const FUND = '{"method":"POST","params":{"amount_sar":"1000"},"path":"/sandbox/fund"}';

const REQUESTS: readonly Request[] = [
  { name: "a quote", path: "/v1/quotes", body: '{"side":"buy","gold_grams":1.5}', canonical: BUY },
  { name: "a trailing zero", path: "/v1/quotes", body: '{"side":"buy","gold_grams":1.50}', canonical: BUY },
  { name: "an exponent", path: "/v1/quotes", body: '{"side":"buy","gold_grams":15e-1}', canonical: BUY },
  {
    name: "a decimal string",
    path: "/v1/quotes",
    body: '{"side":"buy","gold_grams":"1.50"}',
    canonical: BUY,
  },
  {
    name: "a text that looks like a number",
    path: "/v1/quotes",
    body: '{"side":"buy","gold_grams":1.5,"reference":"10.50"}',
    canonical:
      '{"method":"POST","params":{"gold_grams":"1.5","reference":"10.50","side":"buy"},"path":"/v1/quotes"}',
  },
  {
    name: "another member order",
    path: "/v1/quotes",
    body: '{"gold_grams":1.5,"side":"buy"}',
    canonical: BUY,
  },
  {
    name: "white space",
    path: "/v1/quotes",
    body: ' { "side" : "buy",\n "gold_grams" : 1.5 } ',
    canonical: BUY,
  },
  {
    name: "an escape",
    path: "/v1/quotes",
    body: '{"si\\u0064e":"b\\u0075y","gold_grams":1.5}',
    canonical: BUY,
  },
  {
    name: "the other side",
    path: "/v1/quotes",
    body: '{"side":"sell","gold_grams":1.5}',
    canonical: '{"method":"POST","params":{"gold_grams":"1.5","side":"sell"},"path":"/v1/quotes"}',
  },
  {
    name: "the same number as amount_sar",
    path: "/v1/quotes",
    body: '{"side":"buy","amount_sar":1.5}',
    canonical: '{"method":"POST","params":{"amount_sar":"1.5","side":"buy"},"path":"/v1/quotes"}',
  },
  {
    name: "one smallest unit more",
    path: "/v1/quotes",
    body: '{"side":"buy","gold_grams":1.5001}',
    canonical: '{"method":"POST","params":{"gold_grams":"1.5001","side":"buy"},"path":"/v1/quotes"}',
  },
  {
    name: "a negative whole number",
    path: "/sandbox/simulate/prices",
    body: '{"percent":-10}',
    canonical: '{"method":"POST","params":{"percent":"-10"},"path":"/sandbox/simulate/prices"}',
  },
  {
    name: "an order",
    path: "/v1/orders",
    body: '{"quote_id":"qt_01890a5d-ac96-774b-bcce-b302099a8057"}',
    canonical:
      '{"method":"POST","params":{"quote_id":"qt_01890a5d-ac96-774b-bcce-b302099a8057"},"path":"/v1/orders"}',
  },
  { name: "a funding", path: "/sandbox/fund", body: '{"amount_sar":1000}', canonical: FUND },
  { name: "a funding with decimals", path: "/sandbox/fund", body: '{"amount_sar":1000.00}', canonical: FUND },
  { name: "a funding with an exponent", path: "/sandbox/fund", body: '{"amount_sar":1e3}', canonical: FUND },
  {
    name: "the same parameters at another endpoint",
    path: "/v1/withdrawals",
    body: '{"amount_sar":1000}',
    canonical: '{"method":"POST","params":{"amount_sar":"1000"},"path":"/v1/withdrawals"}',
  },
  {
    name: "a withdrawal with a reference",
    path: "/v1/withdrawals",
    body: '{"amount_sar":0.1,"reference":"INV/2026-1"}',
    canonical:
      '{"method":"POST","params":{"amount_sar":"0.1","reference":"INV/2026-1"},"path":"/v1/withdrawals"}',
  },
  {
    name: "an empty reference equals no reference",
    path: "/v1/withdrawals",
    body: '{"amount_sar":1000,"reference":""}',
    canonical: '{"method":"POST","params":{"amount_sar":"1000"},"path":"/v1/withdrawals"}',
  },
  {
    name: "an amount beyond the precision of a double",
    path: "/v1/withdrawals",
    body: '{"amount_sar":9007199254740993.01}',
    canonical: '{"method":"POST","params":{"amount_sar":"9007199254740993.01"},"path":"/v1/withdrawals"}',
  },
  {
    name: "no parameters",
    path: "/v1/webhook/test",
    body: "{}",
    canonical: '{"method":"POST","params":{},"path":"/v1/webhook/test"}',
  },
  {
    name: "an order with a reference and a label",
    path: "/v1/orders",
    body:
      '{"reference":"A \\"b\\"","quote_id":"qt_01890a5d-ac96-774b-bcce-b302099a8057","account_label":"\\u0637\\u0644\\u0628"}',
    canonical: '{"method":"POST","params":{"account_label":"طلب",' +
      '"quote_id":"qt_01890a5d-ac96-774b-bcce-b302099a8057","reference":"A \\"b\\""},"path":"/v1/orders"}',
  },
];

export default function make(): VectorFile {
  return {
    description:
      "An Idempotency-Key is bound to a fingerprint: the SHA-256 of the RFC 8785 text of `method`, `params` and `path`. " +
      "`params` is the body, with each number replaced by its shortest decimal text, as a string. " +
      "Members whose value is an empty string are left out. " +
      "Two requests with the same `sha256` count as the same request.",
    origin:
      "`canonical` is written by hand for each `body`; `sha256` is its digest in lower-case hex by OpenSSL, through node:crypto.",
    cases: REQUESTS.map(({ name, path, body, canonical }) => ({
      name,
      method: "POST",
      path,
      body,
      canonical,
      sha256: createHash("sha256").update(canonical).digest("hex"),
    })),
  };
}

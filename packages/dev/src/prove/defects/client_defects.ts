import type { Defect } from "./defect.ts";

const EXCHANGE = "../client/src/exchange.ts";
const TOKENS = "../client/src/token_source.ts";
const EXCHANGE_TEST = "../client/src/exchange.test.ts";
const TOKENS_TEST = "../client/src/token_source.test.ts";

export const CLIENT_DEFECTS: readonly Defect[] = [
  {
    name: "client: each try has the nonce of the first",
    file: EXCHANGE,
    from: "nonce: crypto.randomUUID()",
    to: 'nonce: "00000000-0000-4000-8000-000000000000"',
    tests: [EXCHANGE_TEST],
    short: true,
  },
  {
    name: "client: whoever waits for a token asks for another",
    file: TOKENS,
    from: "this.#current ??= this.#renew()",
    to: "this.#current = this.#renew()",
    tests: [TOKENS_TEST],
  },
  {
    name: "client: an order's refusal of its quote leaves doubt",
    file: "../client/src/failure.ts",
    from: 'operation === "createOrder" ? "order_quote_id" : "other"',
    to: '"other"',
    tests: [EXCHANGE_TEST],
  },
];

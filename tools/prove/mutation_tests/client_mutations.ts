import type { Mutation } from "./mutation.ts";

const EXCHANGE = "../client/src/exchange.ts";
const TOKENS = "../client/src/token_source.ts";
const EXCHANGE_TEST = "../client/src/exchange.test.ts";
const TOKENS_TEST = "../client/src/token_source.test.ts";

export const CLIENT_MUTATIONS: readonly Mutation[] = [
  {
    name: "client: every retry reuses the first nonce",
    file: EXCHANGE,
    from: "nonce: crypto.randomUUID()",
    to: 'nonce: "00000000-0000-4000-8000-000000000000"',
    tests: [EXCHANGE_TEST],
    short: true,
  },
  {
    name: "client: every caller that waits for a token requests another token",
    file: TOKENS,
    from: "this.#current ??= this.#renew()",
    to: "this.#current = this.#renew()",
    tests: [TOKENS_TEST],
  },
  {
    name: "client: an order's quote_id refusal counts as an unknown outcome",
    file: "../client/src/failure.ts",
    from: 'operation === "createOrder" ? "order_quote_id" : "other"',
    to: '"other"',
    tests: [EXCHANGE_TEST],
  },
];

// Every operation of the service. The router, the description and the catalogue of errors are made from this table, so none
// of them can know a path that another does not.
import type { Endpoint } from "./endpoint.ts";
import { ACCESS_ENDPOINTS } from "./endpoints/access.ts";
import { BOOKS_ENDPOINTS } from "./endpoints/books.ts";
import { MONEY_ENDPOINTS } from "./endpoints/money.ts";
import { TRADING_ENDPOINTS } from "./endpoints/trading.ts";

const TABLE = {
  ...ACCESS_ENDPOINTS,
  ...TRADING_ENDPOINTS,
  ...MONEY_ENDPOINTS,
  ...BOOKS_ENDPOINTS,
};

export type OperationId = keyof typeof TABLE;

export const ENDPOINTS: Readonly<Record<OperationId, Endpoint>> = TABLE;

/** The operations that a deployment of this environment has. */
export function operationsOf(environment: "sandbox" | "production"): OperationId[] {
  const all = Object.keys(ENDPOINTS) as OperationId[];
  return all.filter((operation) => environment === "sandbox" || !ENDPOINTS[operation].sandboxOnly);
}

/** The path as Hono writes it: `/v1/orders/:order_id`. */
export function routePath({ path }: Endpoint): string {
  return path.replace(/\{([a-z_]+)\}/g, ":$1");
}

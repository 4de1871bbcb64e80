// Every operation of the service. The router, the OpenAPI document and the catalogue of errors are made from
// this table, so they always have the same paths.
import type { Endpoint } from "./endpoint.ts";
import { ACCESS_ENDPOINTS } from "./endpoints/access.ts";
import { BOOKS_ENDPOINTS } from "./endpoints/books.ts";
import { CHANGE_ENDPOINTS } from "./endpoints/changes.ts";
import { DISCOVERY_ENDPOINTS } from "./endpoints/discovery.ts";
import { MONEY_ENDPOINTS } from "./endpoints/money.ts";
import { SANDBOX_ENDPOINTS } from "./endpoints/sandbox.ts";
import { TRADING_ENDPOINTS } from "./endpoints/trading.ts";

const TABLE = {
  ...ACCESS_ENDPOINTS,
  ...CHANGE_ENDPOINTS,
  ...TRADING_ENDPOINTS,
  ...MONEY_ENDPOINTS,
  ...BOOKS_ENDPOINTS,
  ...SANDBOX_ENDPOINTS,
  ...DISCOVERY_ENDPOINTS,
};

export type OperationId = keyof typeof TABLE;

export const ENDPOINTS: Readonly<Record<OperationId, Endpoint>> = TABLE;

/**
 * Lists the operations that a deployment of this environment has.
 *
 * @param environment Production lacks the operations that only the sandbox has.
 * @example
 * ```ts
 * import { operationsOf } from "@gold-partner/protocol";
 *
 * console.log(operationsOf("production").includes("fundSandbox")); // false
 * ```
 */
export function operationsOf(environment: "sandbox" | "production"): OperationId[] {
  const all = Object.keys(ENDPOINTS) as OperationId[];
  return all.filter((operation) => environment === "sandbox" || !ENDPOINTS[operation].sandboxOnly);
}

/**
 * Returns the path in the form that the router Hono uses.
 *
 * @param endpoint An operation of `ENDPOINTS`.
 * @example
 * ```ts
 * import { ENDPOINTS, routePath } from "@gold-partner/protocol";
 *
 * console.log(routePath(ENDPOINTS.getOrder)); // /v1/orders/:order_id
 * ```
 */
export function routePath({ path }: Endpoint): string {
  return path.replace(/\{([a-z_]+)\}/g, ":$1");
}

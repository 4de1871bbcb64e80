import type { Mutation } from "../mutation_tests/mutation.ts";

/** A fault to put into the service, the scenario that must detect it, and the thresholds that must fail. */
export interface LoadMutation extends Pick<Mutation, "name" | "file" | "from" | "to"> {
  readonly scenario: string;
  readonly thresholds: readonly string[];
}

/**
 * Every scenario must pass on the unmodified sources. Each of the first three scenarios must also detect one
 * mutation of LOAD_MUTATIONS.
 */
export const SCENARIOS: readonly string[] = [
  "nonce_store",
  "idempotency",
  "quote_order",
  "token",
  "limiter",
  "mixed",
];
export const SHORT_SCENARIOS: readonly string[] = SCENARIOS.slice(0, 3);

export const LOAD_MUTATIONS: readonly LoadMutation[] = [
  {
    name: "the nonce check is off",
    file: "src/admission/signature/nonce_uuid.ts",
    from: "const hex = hostBytes.sha256Hex(hostBytes.utf8(nonce));",
    to: "const hex = hostBytes.sha256Hex(hostBytes.utf8(nonce + crypto.randomUUID()));",
    scenario: "nonce_store",
    thresholds: ["nonce_double_accepted count==0", "race_surplus_winners count==0"],
  },
  {
    name: "idempotency is off",
    file: "src/admission/signature/header_forms.ts",
    from: 'new Refusal("idempotency_key_invalid");\n  return stamp<IdempotencyKey>(key);',
    to: 'new Refusal("idempotency_key_invalid");\n  return stamp<IdempotencyKey>(crypto.randomUUID());',
    scenario: "idempotency",
    thresholds: ["double_executions count==0"],
  },
  {
    name: "the order path is slow",
    file: "src/routes/order_route.ts",
    from: "deps.booking.order({ asked, ...write }),",
    to: "new Promise((go) => setTimeout(go, 300)).then(() => deps.booking.order({ asked, ...write })),",
    scenario: "quote_order",
    thresholds: ["http_req_duration{step:order} p(95)<150"],
  },
];

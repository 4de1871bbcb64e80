import type { Mutation } from "./mutation.ts";

const WORKER = "src/delivery/worker.ts";
const WORKER_TEST = "src/delivery/worker.test.ts";
const HELD = "src/delivery/held_endpoint.ts";
const HELD_TEST = "src/delivery/held_endpoint.test.ts";
const TURNS = "src/delivery/turn_order.ts";
const TURNS_TEST = "src/delivery/turn_order.test.ts";
const VERDICT = "src/delivery/verdict.ts";
const VERDICT_TEST = "src/delivery/verdict.test.ts";
const DESTINATION = "src/http/outbound/destination.ts";
const PINNED_AGENT = "src/http/outbound/pinned_agent.ts";
const GUARD_TEST = "src/delivery/send/sender_guard.test.ts";

export const SENDING_MUTATIONS: readonly Mutation[] = [
  {
    name: "worker: continues although its last successful heartbeat is too old",
    file: WORKER,
    from: "!this.#stopping && this.#parts.monotonicMs() - this.#aliveAtMs < ALIVE_MS",
    to: "!this.#stopping",
    tests: [WORKER_TEST],
    short: true,
  },
  {
    name: "worker: does not wait for in-flight deliveries when it is stopped",
    file: WORKER,
    from: "await Promise.race([this.#courier.quiet(), sleep(STOP_MS, undefined, { ref: false })]);",
    to: "",
    tests: [WORKER_TEST],
  },
  {
    name: "settlement: an event counts as delivered as soon as it is read",
    file: HELD,
    from: "if (body === null) this.progress.finish(sequence);\n      else",
    to: "if (ticket === null) this.progress.finish(sequence);\n      if (body !== null)",
    tests: [HELD_TEST, WORKER_TEST],
    short: true,
  },
  {
    name: "courier: signs only with the newest secret",
    file: "src/delivery/courier.ts",
    from: "secrets.map(({ secret }) => secret)",
    to: "secrets.slice(0, 1).map(({ secret }) => secret)",
    tests: ["src/delivery/delivery.pg.test.ts"],
  },
  {
    name: "turns: failing endpoints may use all in-flight slots",
    file: TURNS,
    from: "const FAILING_MAX = IN_FLIGHT_MAX / 2;",
    to: "const FAILING_MAX = IN_FLIGHT_MAX;",
    tests: [TURNS_TEST],
  },
  {
    name: "verdict: a redirect counts as a delivery",
    file: VERDICT,
    from: "httpStatus < 300",
    to: "httpStatus < 400",
    tests: [VERDICT_TEST],
    short: true,
  },
  {
    name: "verdict: 410 counts as any other failure",
    file: VERDICT,
    from: "httpStatus === GONE && !disabled",
    to: "false",
    tests: [VERDICT_TEST],
  },
  {
    name: "verdict: Retry-After is ignored",
    file: VERDICT,
    from: "retryAfterSeconds ?? 0 : 0",
    to: "0 : 0",
    tests: [VERDICT_TEST],
  },
  {
    name: "guard: only the first of a host's addresses is checked",
    file: DESTINATION,
    from: "for (const address of addresses) {",
    to: "for (const address of addresses.slice(0, 1)) {",
    tests: [GUARD_TEST, "src/http/outbound/check_endpoint.test.ts"],
    short: true,
  },
  {
    name: "guard: the host name is resolved again for the connection",
    file: PINNED_AGENT,
    from: "host: address,",
    to: "host: hostname,",
    tests: [GUARD_TEST],
  },
  {
    name: "guard: a checked address stays valid forever",
    file: "src/delivery/send/kept_destinations.ts",
    from: "const KEPT_MS = 10_000;",
    to: "const KEPT_MS = 1e12;",
    tests: ["src/delivery/send/kept_destinations.test.ts"],
  },
  {
    name: "guard: one allowed address of several is enough",
    file: DESTINATION,
    from: "if (!isOrdinary && !addresses.every(isExempt)) throw refuse();",
    to: "if (!isOrdinary && !addresses.some(isExempt)) throw refuse();",
    tests: ["src/http/outbound/check_endpoint.test.ts"],
  },
  {
    name: "guard: a price feed may have any address",
    file: DESTINATION,
    from: "const why = isExempt(address) ? undefined",
    to: "const why = isExempt(address) || rules.subject ? undefined",
    tests: ["src/booking/trading/price_source_http.test.ts"],
    short: true,
  },
  {
    name: "guard: a price feed's host name is resolved again for the connection",
    file: "src/booking/trading/price_source_http.ts",
    from: "host: addresses[0]!, port",
    to: "host: destination.hostname, port",
    tests: ["src/booking/trading/price_source_http.test.ts"],
  },
  {
    name: "guard: any server certificate is accepted",
    file: PINNED_AGENT,
    from: "rejectUnauthorized: true",
    to: "rejectUnauthorized: false",
    tests: ["src/delivery/send/sender_tls.test.ts"],
    short: true,
  },
];

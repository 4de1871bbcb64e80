// The service levels, as k6's thresholds. k6 judges one run by this definition, and the runner judges the sum
// of several runs by it.
import { type ProfileName, PROFILES } from "./profiles.ts";

export type Threshold = string | { threshold: string; abortOnFail: boolean; delayAbortEval: string };

/** In milliseconds of k6's http_req_duration: from the first byte of the request to the last of the reply. */
interface Latency {
  readonly p95: number;
  readonly p99: number;
}

const READ: Latency = { p95: 100, p99: 250 };
const WRITE: Latency = { p95: 150, p99: 400 };

/** The latency level of each named step. */
const STEPS = {
  token: WRITE,
  prices: READ,
  balances: READ,
  orders: READ,
  order_read: READ,
  statement: READ,
  quote: WRITE,
  quote_replay: WRITE,
  quote_conflict: WRITE,
  order: WRITE,
  order_race: WRITE,
  order_replay: WRITE,
  order_conflict: WRITE,
  withdrawal: WRITE,
  probe: WRITE,
  probe_replay: WRITE,
  probe_race: WRITE,
  limited: READ,
  obeyed: READ,
} as const satisfies Record<string, Latency>;
/** `setup`, `books` and `health` are outside the measured load and have no thresholds. */
export type Step = keyof typeof STEPS | "setup" | "books" | "health";

interface Scenario {
  readonly steps: readonly (keyof typeof STEPS)[];
  /**
   * Counters that must be above 0, because they show that the scenario tested what it claims.
   * Those in `never` must stay 0.
   */
  readonly seen: readonly string[];
  readonly never: readonly string[];
  /** The scenario executes orders, so the partner's books are checked afterwards. */
  readonly trades: boolean;
}

const TABLE = {
  quote_order: {
    steps: ["token", "quote", "order"],
    seen: ["orders_accepted"],
    never: ["double_executions"],
    trades: true,
  },
  nonce_store: {
    steps: ["token", "probe", "probe_replay", "probe_race"],
    seen: ["replays_refused", "http_reqs{step:probe_race}"],
    never: ["nonce_double_accepted", "race_surplus_winners"],
    trades: false,
  },
  idempotency: {
    steps: [
      "token",
      "quote",
      "quote_replay",
      "quote_conflict",
      "order_race",
      "order_replay",
      "order_conflict",
    ],
    seen: ["orders_accepted", "replays_answered", "conflicts"],
    never: ["double_executions"],
    trades: true,
  },
  token: {
    steps: ["token", "prices"],
    seen: ["http_reqs{step:token}", "http_reqs{step:prices}"],
    never: [],
    trades: false,
  },
  limiter: {
    steps: ["limited", "obeyed"],
    seen: ["http_reqs{status:429}", "http_reqs{step:obeyed}"],
    never: ["obeyed_in_vain"],
    trades: false,
  },
  mixed: {
    steps: [
      "token",
      "prices",
      "quote",
      "order",
      "balances",
      "orders",
      "order_read",
      "withdrawal",
      "statement",
    ],
    seen: ["orders_accepted"],
    never: ["double_executions"],
    trades: true,
  },
} as const satisfies Record<string, Scenario>;
export type ScenarioName = keyof typeof TABLE;
export const SCENARIOS = Object.keys(TABLE) as readonly ScenarioName[];

export const stepsOf = (scenario: ScenarioName): readonly Step[] => TABLE[scenario].steps;

/** k6's `options.thresholds` of one scenario under one profile. */
export function serviceLevels(scenario: ScenarioName, profile: ProfileName): Record<string, Threshold[]> {
  const { steps, seen, never, trades }: Scenario = TABLE[scenario];
  const { level } = PROFILES[profile];
  const levels: Record<string, Threshold[]> = {};
  for (const step of steps) {
    levels[`http_req_duration{step:${step}}`] = latencies(STEPS[step], level);
    levels[`http_req_failed{step:${step}}`] = [failures(level)];
  }
  levels.checks = [level === "signed" ? "rate>0.999" : "rate>0.95"];
  if (level === "signed") levels.dropped_iterations = ["count==0"];
  if (scenario !== "limiter") levels["http_reqs{status:429}"] = ["count==0"];
  for (const counter of seen) levels[counter] = ["count>0"];
  for (const counter of [...never, "certificate_mismatches"]) levels[counter] = ["count==0"];
  // Allow a negative count under strain: a race for a nonce counts as -1 if the winner's reply is lost.
  if (never.includes("race_surplus_winners") && level !== "signed") {
    levels.race_surplus_winners = ["count<=0"];
  }
  if (trades) {
    levels.books_differences = ["count==0"];
    // Allow a negative count in a breakpoint run: it is aborted while orders are in flight, so an order may
    // be executed although no reply arrived.
    levels.orders_unaccounted = [level === "breaking" ? "count<=0" : "count==0"];
  }
  return levels;
}

function latencies({ p95, p99 }: Latency, level: "signed" | "strained" | "breaking"): Threshold[] {
  if (level === "signed") return [`p(95)<${p95}`, `p(99)<${p99}`];
  if (level === "strained") return ["p(95)<1000", "p(99)<3000"];
  // Abort a breakpoint run when this threshold fails.
  return [{ threshold: "p(95)<1000", abortOnFail: true, delayAbortEval: "10s" }];
}

function failures(level: "signed" | "strained" | "breaking"): Threshold {
  if (level === "signed") return "rate<0.001";
  if (level === "strained") return "rate<0.01";
  return { threshold: "rate<0.05", abortOnFail: true, delayAbortEval: "10s" };
}

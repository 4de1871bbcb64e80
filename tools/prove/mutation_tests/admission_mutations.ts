import type { Mutation } from "./mutation.ts";

const LIMITER = "src/admission/rate/rate_limiter.ts";
const LIMITER_TEST = "src/admission/rate/rate_limiter.test.ts";
const RATE_TEST = "src/admission/rate/rate.pg.test.ts";
const FAILURES = "src/admission/identity/limit_failures.ts";
const FAILURES_TEST = "src/admission/identity/limit_failures.pg.test.ts";
const ADMIT_CALLER = "src/admission/admit_caller.ts";
const QUERY = "src/admission/query/read_query.ts";
const QUERY_TEST = "src/admission/query/read_query.test.ts";
const USAGE_TEST = "src/admission/usage/usage.pg.test.ts";
const DIAGNOSIS_TEST = "src/routes/probe/diagnosis.test.ts";
const PROBE_TEST = "src/routes/probe_route_mistakes.pg.test.ts";

export const ADMISSION_MUTATIONS: readonly Mutation[] = [
  {
    name: "rate: one request more than the burst is allowed",
    file: LIMITER,
    from: "const allowed = owed + REQUEST_PARTS <= most;",
    to: "const allowed = owed <= most;",
    tests: [LIMITER_TEST],
    short: true,
  },
  {
    name: "rate: a rejected request also counts against the limit",
    file: LIMITER,
    from: "debt.parts = allowed ? owed + REQUEST_PARTS : owed;",
    to: "debt.parts = owed + REQUEST_PARTS;",
    tests: [LIMITER_TEST],
  },
  {
    name: "rate: when the clock goes back, more requests are allowed",
    file: LIMITER,
    from: "Math.max(0, nowMicros - atMicros) * perSecond",
    to: "Math.abs(nowMicros - atMicros) * perSecond",
    tests: [LIMITER_TEST],
  },
  {
    name: "rate: one request that passes admission several times is counted each time",
    file: ADMIT_CALLER,
    from: "if (!exchange.rateFields) {",
    to: "{",
    tests: [RATE_TEST],
  },
  {
    name: "rate: failed authentications are not limited",
    file: FAILURES,
    from: "if (verdict.allowed) throw error;",
    to: "throw error;",
    tests: [FAILURES_TEST],
    short: true,
  },
  {
    name: "rate: a valid token is rejected after too many failed authentications",
    file: FAILURES,
    from: "return await authenticate();",
    to:
      'if (failures.take(fingerprint, FAILURE_RATE, monotonicMs()).allowed) return await authenticate();\n    throw new Refusal("token_invalid");',
    tests: [FAILURES_TEST],
  },
  {
    name: "database: the server certificate's host name is not checked",
    file: "../database/src/open_database.ts",
    from: "checkServerIdentity(hostOf().host, {",
    to: 'checkServerIdentity("localhost", {',
    tests: ["src/database/verified_link.pg.test.ts"],
  },
  {
    name: "query: a parameter that is sent twice is accepted",
    file: QUERY,
    from: "if (parameters.has(name))",
    to: "if (false)",
    tests: [QUERY_TEST],
  },
  {
    name: "usage: every use of a credential is written to the database",
    file: "src/admission/usage/record_use.sql",
    from: "where c.last_used_at is null or c.last_used_at <= u.at - interval '1 minute'",
    to: "where true",
    tests: [USAGE_TEST],
  },
  {
    name: "probe: the correct text counts as a mistake",
    file: "src/routes/probe/attempts.ts",
    from: "if (attempt.text !== text) yield attempt;",
    to: "yield attempt;",
    tests: [DIAGNOSIS_TEST],
  },
  {
    name: "probe: diagnoses are not limited",
    file: "src/routes/probe_route.ts",
    from: "if (!rate.allowed) {",
    to: "if (false) {",
    tests: [PROBE_TEST],
    short: true,
  },
];

// The only scenario that expects 429. When a partner exceeds its rate, the service must send Retry-After.
// A client that waits for this time must then be served.
//   k6 run loadtest/limiter.ts
import { check, sleep } from "k6";
import exec from "k6/execution";
import http from "k6/http";
import type { RefinedParams } from "k6/http";
import { certificateMismatches, obeyedInVain } from "./lib/counters.ts";
import { announce, askForToken, cureOf, isOwnToken, openPartner } from "./lib/partner.ts";
import { arrivalsOf } from "./lib/profiles.ts";
import { load, runOptions, summaryOf } from "./lib/run.ts";

/** The partner `limited` has a rate below the peak of every profile. */
const partner = openPartner("limited");
/**
 * The length of the first part, in which requests exceed the rate. The scenario `obedience`, which waits for
 * Retry-After, starts after this part. Otherwise the flood would use up the limit while `obedience` waits.
 */
const FLOOD_SECONDS = Math.ceil(load.durationSeconds * 0.6);
if (FLOOD_SECONDS === load.durationSeconds) throw "DURATION is too short for the limiter; use at least 10s.";
/**
 * The maximum number of requests that obey() sends while it waits for a 429. The burst of the partner
 * `limited` is smaller.
 */
const MOST_REQUESTS = 1000;

export const options = {
  ...runOptions("limiter", partner),
  scenarios: {
    limiter: arrivalsOf({ ...load, durationSeconds: FLOOD_SECONDS }),
    obedience: {
      executor: "constant-arrival-rate",
      rate: 1,
      timeUnit: "2s",
      startTime: `${FLOOD_SECONDS}s`,
      duration: `${load.durationSeconds - FLOOD_SECONDS}s`,
      preAllocatedVUs: 1,
    },
  },
};
export const handleSummary = summaryOf("limiter", partner);

/**
 * Requests a token and checks that the service saw this partner's certificate. The replies to /health do not
 * show the certificate.
 */
export function setup(): void {
  announce(partner);
  const params = paramsOf("setup", [200, 429]);
  let reply = askForToken(partner, params);
  if (reply.status === 429) {
    sleep(Number(reply.headers["Retry-After"]));
    reply = askForToken(partner, params);
  }
  if (reply.status !== 200) {
    exec.test.abort(`${reply.url}: ${reply.error || reply.status}; ${cureOf(reply)}.`);
  } else if (!isOwnToken(reply.json("access_token") as string, partner)) certificateMismatches.add(1);
}

export default function (): void {
  if (exec.scenario.name === "obedience") obey();
  else ask("limited", [200, 429]);
}

/** Sends requests until one is refused, waits for Retry-After, and sends again. */
function obey(): void {
  let reply = ask("limited", [200, 429]);
  for (let request = 1; reply.status === 200 && request < MOST_REQUESTS; request++) {
    reply = ask("limited", [200, 429]);
  }
  if (reply.status !== 429) return;
  sleep(Number(reply.headers["Retry-After"]));
  if (ask("obeyed", [200]).status !== 200) obeyedInVain.add(1);
}

/** Sends GET /health, which needs no token. With a token, the token request would also use up the limit. */
function ask(step: "limited" | "obeyed", expected: readonly number[]) {
  const reply = http.get(`${partner.base_url}/health`, paramsOf(step, expected));
  check(reply, {
    "reply has a RateLimit-Policy header": ({ headers }) =>
      /^"default";q=[0-9]+;w=[0-9]+$/.test(headers["Ratelimit-Policy"] ?? ""),
    "429 has the code rate_limited and Retry-After": ({ status, headers, body }) =>
      status !== 429 ||
      (/^[1-9][0-9]*$/.test(headers["Retry-After"] ?? "") && `${body}`.includes('"code":"rate_limited"')),
  });
  return reply;
}

const paramsOf = (
  step: "limited" | "obeyed" | "setup",
  expected: readonly number[],
): RefinedParams<"text"> => ({
  tags: { step, name: step },
  responseType: "text",
  responseCallback: http.expectedStatuses(...expected),
});

// Checks that the service accepts a nonce only once. A new nonce is accepted, and a replay of the same bytes
// is refused. Of many VUs that use one nonce at the same time, one is accepted.
//   k6 run loadtest/nonce_store.ts
import { check, sleep } from "k6";
import exec from "k6/execution";
import { nonceDoubleAccepted, raceSurplusWinners, replaysRefused } from "./lib/counters.ts";
import { load, runOptions, summaryOf } from "./lib/run.ts";
import type { Step } from "./lib/service_levels.ts";
import { again, begin, type Call, codeOf, newName, partner, post, type Reply, write } from "./lib/session.ts";

/** The number of VUs that share a nonce. RACE_MS is the time between two races. */
const CONTENDERS = 8;
const RACE_MS = 1000;

export const options = runOptions("nonce_store", partner, {
  race: {
    executor: "constant-arrival-rate",
    rate: CONTENDERS,
    timeUnit: `${RACE_MS}ms`,
    duration: `${load.durationSeconds}s`,
    // Start enough VUs. Each VU waits for its race for up to two periods.
    preAllocatedVUs: 4 * CONTENDERS,
  },
});
export const handleSummary = summaryOf("nonce_store", partner);

export default function ({ name }: { readonly name: string }): Promise<void> {
  return exec.scenario.name === "race" ? race(name) : probeTwice();
}

/** Makes a name, so that the nonces of this run's races are unique even if another run is active. */
export function setup(): { readonly name: string } {
  begin();
  return { name: newName() };
}

/**
 * Sends a probe with strict handling. The service then answers it like an order (401, 409 and so on), and not
 * with 200 and a verdict.
 */
const signedProbe = (step: Step, nonce: string, expected: readonly number[]): Call => ({
  step,
  target: "/v1/signed-probe",
  body: '{"any":"body"}',
  headers: { Prefer: "handling=strict" },
  signed: nonce,
  expected,
});

async function probeTwice(): Promise<void> {
  const letter = await write(signedProbe("probe", newName(), [200]));
  if (post(letter).status !== 200) return;
  const replay = post(again(letter, "probe_replay", [409]));
  countRefused(replay);
  if (replay.status === 200) nonceDoubleAccepted.add(1);
}

/**
 * Takes part in a race. The counter ends at 0 if each race has one winner. It is lowered before the request
 * is sent, so that an aborted run never shows a surplus winner.
 */
async function race(name: string): Promise<void> {
  const { iterationInTest, startTime } = exec.scenario;
  const number = Math.floor(iterationInTest / CONTENDERS);
  const letter = await write(signedProbe("probe_race", `race-${name}-${number}`, [200, 409]));
  sleep((startTime + (number + 2) * RACE_MS - Date.now()) / 1000);
  if (iterationInTest % CONTENDERS === 0) raceSurplusWinners.add(-1);
  const reply = post(letter);
  countRefused(reply);
  if (reply.status === 200) raceSurplusWinners.add(1);
}

function countRefused(reply: Reply): void {
  if (reply.status !== 409) return;
  if (
    check(reply, {
      "a used nonce is refused with nonce_reused": () => codeOf(reply) === "nonce_reused",
    })
  ) {
    replaysRefused.add(1);
  }
}

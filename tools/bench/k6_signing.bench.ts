import { spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import process from "node:process";
import { fileURLToPath } from "node:url";
import { generateJwk } from "../testing/generated_key.ts";
import type { Benchmark, Plan, Round } from "./harness.ts";

const K6 = fileURLToPath(new URL("../../.tools/bin/k6", import.meta.url));
const SCRIPT = fileURLToPath(new URL("../../loadtest/lib/sign_rounds.ts", import.meta.url));
const ARGUMENTS = [
  ...["run", "--quiet", "--no-usage-report", "--summary-mode", "disabled"],
  ...["--log-format", "raw", "--log-output", "stdout", SCRIPT],
];
// Kill k6 after this time, because it does not end if it cannot parse the script's syntax.
const K6_TIMEOUT_MS = 120_000;
/**
 * A turn, the measured interval of one contender, is longer here, because k6's clock counts whole
 * milliseconds.
 */
const TURN_FACTOR = 4;

async function measureInK6({ rounds, turnMs }: Plan): Promise<Round[]> {
  const env = {
    ...process.env,
    GOMAXPROCS: "1", // measure the rate of one core
    KEY: JSON.stringify(await generateJwk()),
    ROUNDS: String(rounds),
    TURN_MS: String(turnMs * TURN_FACTOR),
  };
  const { stdout, stderr } = spawnSync(K6, ARGUMENTS, {
    env,
    encoding: "utf8",
    timeout: K6_TIMEOUT_MS,
    killSignal: "SIGKILL",
  });
  const lines = stdout.split("\n").filter((line) => line.startsWith("{"));
  if (lines.length !== rounds) {
    throw new Error(`k6 measured ${lines.length} of ${rounds} rounds. Its output:\n${stdout}${stderr}`);
  }
  return lines.map((line): Round => JSON.parse(line));
}

export default {
  about: "request signing in the real k6, against k6's own Web Crypto",
  async open() {
    if (!existsSync(K6)) throw new Error("k6 is not installed; run: node tools/run.mjs tools");
    return {
      contests: [{
        name: "sign a request with a body of 100 bytes, on one core",
        measure: measureInK6,
        goals: [{ ours: "signRequest", peer: "crypto.subtle.sign", atLeast: 0.55 }],
      }],
    };
  },
} satisfies Benchmark;

// npm run prove -- NAME [--short]: runs one of the long proofs.
import process from "node:process";
import { requireTools } from "./external_tools/table.ts";
import { findPrograms, withPostgres15 } from "./postgres_15.ts";
import { runVisibly } from "./test/runtimes.ts";
import { ROOT, runTier } from "./test/tier.ts";

interface Proof {
  readonly says: string;
  /** The one option that the proof accepts besides --short. */
  readonly knows?: string;
  /** The options that the proof accepts besides --short. The proof's own program checks them. */
  readonly takes?: string;
  prove(options: readonly string[]): Promise<boolean>;
}

/** Folders and files with the external checks that start the real Envoy. */
const BEHIND_ENVOY = [
  "packages/sidecar",
  "e2e/sidecar",
  "e2e/contract",
  "packages/server/src/http/wire",
  "packages/dev/src/start_envoy.external.test.ts",
  "e2e/docs/quickstart.external.test.ts",
];

const WITH_SQL = ["packages/server", "packages/operator", "packages/sidecar", "bench"];

const PROOFS: Readonly<Record<string, Proof>> = {
  external: {
    says: "runs every external check (*.external.test.ts) with the real external tools, on Node and on Deno",
    prove: () => {
      requireTools(ROOT);
      return runTier("external");
    },
  },
  sidecar: {
    says: "runs the external checks of Envoy on Node and on Deno, then the proofs rotation and drains",
    async prove(options) {
      requireTools(ROOT);
      const proved = [await runTier("external", BEHIND_ENVOY)];
      for (const name of ["rotation", "drains"]) proved.push(await PROOFS[name]!.prove(options));
      return proved.every(Boolean);
    },
  },
  postgres_15: {
    says:
      "runs the *.pg.test.ts of all folders with SQL on Debian's Postgres 15, on Node only, because they test the SQL",
    prove: () =>
      withPostgres15(findPrograms(), ({ urlOf }) => {
        process.env.TEST_POSTGRES_URL = urlOf("postgres", "postgres");
        return runTier("pg", WITH_SQL, [], { nodeAlone: true });
      }),
  },
  races: {
    says:
      "sends a hundred concurrent requests to one and two services: each operation runs once, and each event arrives",
    prove: (options) => runProgram("prove/races.ts", options),
  },
  kills: {
    says:
      "sends SIGKILL at each step of an order and its delivery: a retry gives the same result, and the event arrives",
    prove: (options) => runProgram("prove/kills.ts", options),
  },
  nonces: {
    says:
      "kills two services and Postgres at random under signed requests: each nonce is accepted once, for one request",
    takes: "--seed N",
    prove: (options) => runProgram("prove/nonces.ts", options),
  },
  clock: {
    says:
      "sets the database's clock back under orders: the books stay consistent, balances are served, other accounts trade",
    prove: (options) => runProgram("prove/clock.ts", options),
  },
  webhooks: {
    says:
      "uses faulty receivers, kills workers, restarts the database: every event arrives, and no other partner has to wait",
    prove: (options) => runProgram("prove/webhooks.ts", options),
  },
  rotation: {
    says:
      "rotates each credential under 200 signed orders a second: the new one is served, the old one is refused",
    prove: (options) => runProgram("prove/rotation.ts", options),
  },
  drains: {
    says: "starts and stops Envoys and service processes under load: no request and no event is lost",
    prove: (options) => runProgram("prove/drains.ts", options),
  },
  migrate: {
    says:
      "migrates the database while partners trade, to the same version and from the last release: no request fails or waits",
    prove: (options) => runProgram("prove/migrate.ts", options),
  },
  standby: {
    says:
      "runs the service with HA=on and a real synchronous standby: no write is acknowledged without it, none is lost",
    prove: (options) => runProgram("prove/standby.ts", options),
  },
  loadtest: {
    says:
      "runs the smoke profile of each load test, with its latency limits; each mutation must fail the right test",
    prove: (options) => runProgram("prove/loadtest.ts", options),
  },
  soak: {
    says: "runs half an hour at 70 % of the rate at which the service breaks: nothing grows except the books",
    takes: "--minutes N, --rate N, --json FILE",
    prove: (options) => runProgram("prove/soak.ts", options),
  },
  schemathesis: {
    says:
      "calls the running service with Schemathesis by its OpenAPI description: every reply is described there",
    knows: "--envoy",
    prove: (options) => runProgram("prove/schemathesis.ts", options),
  },
  fuzzing: {
    says:
      "sends broken bodies over mutual TLS: each gets a well-formed refusal, nothing is booked, memory stays flat",
    knows: "--envoy",
    prove: (options) => runProgram("prove/fuzzing.ts", options),
  },
  mutation_tests: {
    says: "runs the mutation tests: each mutation must fail a test",
    takes: "--only TEXT",
    prove: (options) => runProgram("prove/mutation_tests.ts", options),
  },
};

/** Runs a program under the runtime that runs this script. */
async function runProgram(file: string, options: readonly string[]): Promise<boolean> {
  const runtimeArgs = "Deno" in globalThis ? ["run", "-A", file] : ["--import", "tsx", file];
  return await runVisibly(ROOT, process.execPath, [...runtimeArgs, ...options]) === 0;
}

const [name = "", ...options] = process.argv.slice(2);
const proof = Object.hasOwn(PROOFS, name) ? PROOFS[name] : undefined;
const unknown = proof?.takes
  ? undefined
  : options.find((option) => option !== "--short" && option !== proof?.knows);
if (!proof || unknown) {
  if (name !== "") console.error(unknown ? `Unknown option ${unknown}.` : `There is no proof "${name}".`);
  console.error("Usage: npm run prove -- NAME [--short]");
  for (const [each, { says, knows, takes = knows }] of Object.entries(PROOFS)) {
    console.error(`  ${each.padEnd(12)} ${says}${takes ? ` (${takes})` : ""}`);
  }
  process.exit(name === "" ? 0 : 2);
}
process.exitCode = await proof.prove(options) ? 0 : 1;

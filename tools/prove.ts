// npm run prove -- NAME [--short]: runs one of the long proofs.
import process from "node:process";
import { requireParts } from "./parts/table.ts";
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
  "packages/dev/src/sidecar",
  "packages/dev/src/contract",
  "packages/server/src/wire",
  "packages/dev/src/start_envoy.judge.test.ts",
  "packages/dev/src/quickstart.judge.test.ts",
];

const WITH_SQL = ["packages/server", "packages/operator", "packages/sidecar", "bench"];

const PROOFS: Readonly<Record<string, Proof>> = {
  judges: {
    says: "every *.judge.test.ts against the real parts, on Node and on Deno",
    prove: () => {
      requireParts(ROOT);
      return runTier("judge");
    },
  },
  sidecar: {
    says: "the real Envoy before the real service: its judges on Node and on Deno, then rotation and drains",
    async prove(options) {
      requireParts(ROOT);
      const proved = [await runTier("judge", BEHIND_ENVOY)];
      for (const name of ["rotation", "drains"]) proved.push(await PROOFS[name]!.prove(options));
      return proved.every(Boolean);
    },
  },
  postgres_15: {
    says:
      "the *.pg.test.ts of whoever has SQL again, on Debian's Postgres 15: it is the SQL that is tried, so on Node alone",
    prove: () =>
      withPostgres15(findPrograms(), ({ urlOf }) => {
        process.env.TEST_POSTGRES_URL = urlOf("postgres", "postgres");
        return runTier("pg", WITH_SQL, [], { nodeAlone: true });
      }),
  },
  races: {
    says:
      "a hundred requests at once against one and two services: what may happen once happens once, and each event arrives",
    prove: (options) => runProgram("packages/dev/src/prove/races.ts", options),
  },
  kills: {
    says:
      "SIGKILL at each step of an order and of its delivery: a retry gives the one result, and its event comes",
    prove: (options) => runProgram("packages/dev/src/prove/kills.ts", options),
  },
  nonces: {
    says:
      "two services and Postgres killed at random under signed requests: each nonce is accepted once, for one request",
    takes: "--seed N",
    prove: (options) => runProgram("packages/dev/src/prove/nonces.ts", options),
  },
  clock: {
    says:
      "the database's clock really steps back under orders: the books hold, balances are answered, other accounts trade",
    prove: (options) => runProgram("packages/dev/src/prove/clock.ts", options),
  },
  webhooks: {
    says:
      "receivers sick in every way, workers killed, the database restarted: what is accepted arrives, and nobody waits for the sick",
    prove: (options) => runProgram("packages/dev/src/prove/webhooks.ts", options),
  },
  rotation: {
    says:
      "each credential is rotated under 200 signed orders a second: who follows is served, the old one is refused",
    prove: (options) => runProgram("packages/dev/src/prove/rotation.ts", options),
  },
  drains: {
    says: "Envoys and processes of the service come and go under load: no request is lost, no event either",
    prove: (options) => runProgram("packages/dev/src/prove/drains.ts", options),
  },
  migrate: {
    says:
      "the database is migrated while partners trade, to the same version and from the last release: no request fails or waits",
    prove: (options) => runProgram("packages/dev/src/prove/migrate.ts", options),
  },
  standby: {
    says:
      "the service with HA=on over a real synchronous standby: nothing is acknowledged without it, nothing acknowledged is lost",
    prove: (options) => runProgram("packages/dev/src/prove/standby.ts", options),
  },
  loadtest: {
    says:
      "the smoke of each load test passes, also in time; with a defect planted the one that must see it fails and says why",
    prove: (options) => runProgram("packages/dev/src/prove/loadtest.ts", options),
  },
  soak: {
    says: "half an hour at 70 % of the rate at which the service breaks: nothing grows but the books",
    takes: "--minutes N, --rate N, --json FILE",
    prove: (options) => runProgram("packages/dev/src/prove/soak.ts", options),
  },
  schemathesis: {
    says: "Schemathesis calls the running service by its OpenAPI description: no reply that is not described",
    knows: "--envoy",
    prove: (options) => runProgram("packages/dev/src/prove/schemathesis.ts", options),
  },
  mutations: {
    says: "broken bodies over mutual TLS: each is refused in form, nothing moves, memory stays flat",
    knows: "--envoy",
    prove: (options) => runProgram("packages/dev/src/prove/mutations.ts", options),
  },
  defects: {
    says: "planted defects: each one turns a test red",
    takes: "--only TEXT",
    prove: (options) => runProgram("packages/dev/src/prove/defects.ts", options),
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
  console.error("npm run prove -- NAME [--short]");
  for (const [each, { says, knows, takes = knows }] of Object.entries(PROOFS)) {
    console.error(`  ${each.padEnd(12)} ${says}${takes ? ` (${takes})` : ""}`);
  }
  process.exit(name === "" ? 0 : 2);
}
process.exitCode = await proof.prove(options) ? 0 : 1;

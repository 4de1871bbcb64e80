// npm run prove -- NAME [--short]: runs one of the long proofs of tools/tasks.json.
import process from "node:process";
import { readTasks } from "./docs/tasks.ts";
import { EXTERNAL_TOOLS, GATE_TOOLS, requireTools } from "./external_tools/table.ts";
import { withPostgres15 } from "./postgres_15.ts";
import { runVisibly } from "./test/runtimes.ts";
import { ROOT, runTier } from "./test/tier.ts";

/** Folders and files with the external checks that start the real Envoy. */
const BEHIND_ENVOY = [
  "packages/sidecar",
  "e2e/sidecar",
  "e2e/contract",
  "e2e/monitoring",
  "packages/server/src/http/wire",
  "packages/dev/src/start_envoy.external.test.ts",
  "e2e/docs/quickstart.external.test.ts",
];

const WITH_SQL = [
  "packages/server",
  "packages/audit",
  "packages/operator",
  "packages/sidecar",
  "tools/bench",
];
/** The folders whose suites of SQL the short run of postgres_15 runs. */
const SQL_ALONE = ["packages/server", "packages/audit/src/catalog"];

/** The proofs that run test suites. Each other proof is a program. */
const SUITES: Readonly<Record<string, (options: readonly string[]) => Promise<boolean>>> = {
  external() {
    requireTools(ROOT, GATE_TOOLS);
    return runTier("external");
  },
  nightly() {
    requireTools(ROOT, EXTERNAL_TOOLS);
    return runTier("nightly");
  },
  async sidecar(options) {
    requireTools(ROOT, GATE_TOOLS);
    const proved = [await runTier("external", BEHIND_ENVOY)];
    for (const name of ["rotation", "drains"]) proved.push(await prove(name, options));
    return proved.every(Boolean);
  },
  postgres_15: (options) =>
    withPostgres15((urlOf) => {
      process.env.TEST_POSTGRES_URL = urlOf("postgres");
      const sqlAlone = options.includes("--short");
      return runTier("pg", sqlAlone ? SQL_ALONE : WITH_SQL, [], { nodeAlone: true, sqlAlone });
    }),
};

const { proofs } = readTasks();

/** Runs a proof under the runtime that runs this script. */
async function prove(name: string, options: readonly string[]): Promise<boolean> {
  const { file } = proofs[name]!;
  if (!file) return await SUITES[name]!(options);
  const runtimeArgs = "Deno" in globalThis ? ["run", "-A", file] : ["--import", "tsx", file];
  return await runVisibly(ROOT, process.execPath, [...runtimeArgs, ...options]) === 0;
}

/**
 * Returns what is wrong with a proof's arguments. `known` lists its options, such as "[--short] [--seed N]".
 */
function findMistake(known: string, given: readonly string[]): string | undefined {
  const forms = [...known.matchAll(/(--\w+)( [A-Z]+)?/g)];
  const isOption = (argument: string) => forms.some(([, option]) => option === argument.split("=")[0]);
  const takesValue = (argument = "") => forms.some(([, option, value]) => value && option === argument);
  const unknown = given.find((argument, at) => !isOption(argument) && !takesValue(given[at - 1]));
  if (unknown !== undefined) return `Unknown option ${unknown}.`;
  return takesValue(given.at(-1)) ? `${given.at(-1)} needs a value.` : undefined;
}

const [name = "", ...options] = process.argv.slice(2);
const proof = Object.hasOwn(proofs, name) ? proofs[name] : undefined;
const mistake = proof ? findMistake(proof.options ?? "", options) : `There is no proof "${name}".`;
if (!proof || mistake) {
  if (name !== "") console.error(mistake);
  console.error("Usage: npm run prove -- NAME [--short]");
  for (const [each, { options, says }] of Object.entries(proofs)) {
    console.error(`  ${each.padEnd(14)} ${says}${options ? ` (${options})` : ""}`);
  }
  process.exit(name === "" ? 0 : 2);
}
process.exitCode = await prove(name, options) ? 0 : 1;

// npm test [-- PATH…]: format, lint, types and structure, and every suite on Node and on Deno. With paths, only
// the suites below them.
import { existsSync } from "node:fs";
import { join } from "node:path";
import process from "node:process";
import { PUBLISHED } from "./check/structure.ts";
import { findRuntimes, runVisibly } from "./test/runtimes.ts";
import { ROOT, runTier } from "./test/tier.ts";

const paths = process.argv.slice(2);
const unknown = paths.find((path) => path.startsWith("-") || !existsSync(join(ROOT, path)));
if (unknown) {
  console.error(
    `"${unknown}" is not a path in this repository. npm test accepts paths such as packages/jws to run only their tests.`,
  );
  process.exit(2);
}

const { node, deno } = findRuntimes(ROOT);
const typescript = join("node_modules", "typescript", "bin", "tsc");
const entryPoints = PUBLISHED.map((folder) => `${folder}/src/mod.ts`).filter((file) =>
  existsSync(join(ROOT, file))
);

const STEPS: readonly (readonly [name: string, command: string, args: readonly string[]])[] = [
  ["format", node, ["--import", "tsx", "tools/format.ts", "--check", "--quiet"]],
  ["lint", deno, ["lint", "--quiet"]],
  ["types", node, [typescript, "--noEmit", "-p", "tsconfig.json"]],
  ["types under Deno", deno, ["check", "--quiet", ...entryPoints]],
  ["structure", node, ["--import", "tsx", "tools/check.ts"]],
];

/** Returns a sentence for each step that failed. The steps run one after another, beside the first suites. */
async function runSteps(): Promise<string[]> {
  const faults: string[] = [];
  for (const [name, command, args] of STEPS) {
    const start = performance.now();
    const ok = await runVisibly(ROOT, command, args, "whole") === 0;
    console.log(`── ${ok ? "ok" : "FAILED"}: ${name}, ${((performance.now() - start) / 1000).toFixed(1)} s`);
    if (!ok) faults.push(`The step "${name}" failed. See its output above.`);
  }
  return faults;
}

// The steps read the whole repository, so they are left out if only some tests run.
const steps = paths.length > 0 ? [] : runSteps();
process.exitCode = await runTier("plain", paths, steps) ? 0 : 1;

import { availableParallelism } from "node:os";
import process from "node:process";
import { parseArgs } from "node:util";
import type { Mutation } from "./mutation_tests/mutation.ts";
import { MUTATIONS } from "./mutation_tests/mod.ts";
import { ProvingGround } from "./mutation_tests/proving_ground.ts";

// npm run prove -- mutation_tests [--short] [--only TEXT]: mutation tests. Each defect is applied alone to a
// copy of the sources, and a test must fail.

const { values: { short, only } } = parseArgs({
  options: { short: { type: "boolean", default: false }, only: { type: "string", default: "" } },
});
const defects = MUTATIONS.filter((defect) => (!short || defect.short) && defect.name.includes(only));
if (defects.length === 0) {
  console.error(`No mutation test's name contains "${only}".`);
  process.exit(2);
}

/**
 * The maximum number of copies that run in parallel, because each one has its own Postgres. Below this limit,
 * 1.5 copies run per core, because a test file uses the CPU for only two thirds of its time.
 */
const GROUNDS_MAX = 3;
const opening = Promise.all(
  Array.from({ length: Math.min(GROUNDS_MAX, Math.ceil(1.5 * availableParallelism())) }, ProvingGround.open),
);
const close = async () => void await Promise.all((await opening).map((ground) => ground.close()));
for (const signal of ["SIGINT", "SIGTERM"] as const) {
  process.once(signal, () => void close().finally(() => process.exit(1)));
}
const grounds = await opening;
let caught = 0;
let sound = false;
try {
  sound = await control();
  if (sound) {
    await shareOut(defects, async (ground, defect) => void (await plantOne(ground, defect) && caught++));
  }
} finally {
  await close();
}
console.log(`mutation_tests: ${sound ? defects.length : 0} mutations applied, ${caught} caught`);
process.exit(sound && caught === defects.length ? 0 : 1);

/**
 * Runs the items on all copies in parallel. Each copy takes the next item as soon as it is done with the
 * last.
 */
async function shareOut<T>(items: readonly T[], act: (ground: ProvingGround, item: T) => Promise<void>) {
  const left = items.values();
  await Promise.all(grounds.map(async (ground) => {
    for (const item of left) await act(ground, item);
  }));
}

/**
 * Runs the test files of all defects on the unmodified sources. All must pass, otherwise a failing test would
 * prove nothing.
 */
async function control(): Promise<boolean> {
  const files = [...new Set(defects.flatMap(({ tests }) => tests))];
  const start = performance.now();
  let green = true;
  await shareOut(files, async (ground, file) => {
    const { verdict, output } = await ground.runUnbroken(file);
    if (verdict === "green") return;
    console.log(`✘ ${file} ${verdict === "hangs" ? "hangs" : "fails"} without any mutation\n${output}`);
    green = false;
  });
  if (green) console.log(`✔ control: ${files.length} test files pass without a mutation${since(start)}`);
  return green;
}

async function plantOne(ground: ProvingGround, defect: Mutation): Promise<boolean> {
  const start = performance.now();
  const outcome = await ground.try(defect);
  const isCaught = "seenBy" in outcome;
  console.log(
    `${isCaught ? "✔" : "✘"} ${defect.name}: ${isCaught ? outcome.seenBy : outcome.fault}${since(start)}`,
  );
  return isCaught;
}

function since(start: number): string {
  return `, ${((performance.now() - start) / 1000).toFixed(1)} s`;
}

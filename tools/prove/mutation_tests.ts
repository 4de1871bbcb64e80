import { availableParallelism } from "node:os";
import process from "node:process";
import { parseArgs } from "node:util";
import { type Mutation, readMutations } from "./mutation_tests/mutation.ts";
import { SourceCopy } from "./mutation_tests/source_copy.ts";

// npm run prove -- mutation_tests [--short] [--only TEXT]: mutation tests. Each mutation is applied alone to
// a copy of the sources, and a test must fail.

const { values: { short, only } } = parseArgs({
  options: { short: { type: "boolean", default: false }, only: { type: "string", default: "" } },
});
const mutations = readMutations().filter((mutation) =>
  (!short || mutation.short) && mutation.name.includes(only)
);
if (mutations.length === 0) {
  console.error(`No mutation test's name contains "${only}".`);
  process.exit(2);
}

/**
 * The maximum number of copies that run in parallel, because each one has its own Postgres. Below this limit,
 * 1.5 copies run per core, because a test file uses the CPU for only two thirds of its time.
 */
const COPIES_MAX = 3;
const opening = Promise.all(
  Array.from({ length: Math.min(COPIES_MAX, Math.ceil(1.5 * availableParallelism())) }, SourceCopy.open),
);
const close = async () => void await Promise.all((await opening).map((copy) => copy.close()));
for (const signal of ["SIGINT", "SIGTERM"] as const) {
  process.once(signal, () => void close().finally(() => process.exit(1)));
}
const copies = await opening;
let caught = 0;
let isUnbrokenGreen = false;
try {
  isUnbrokenGreen = await runUnbroken();
  if (isUnbrokenGreen) {
    await shareItems(
      mutations,
      async (copy, mutation) => void (await testMutation(copy, mutation) && caught++),
    );
  }
} finally {
  await close();
}
console.log(`mutation_tests: ${isUnbrokenGreen ? mutations.length : 0} mutations applied, ${caught} caught`);
process.exit(isUnbrokenGreen && caught === mutations.length ? 0 : 1);

/**
 * Runs the items on all copies in parallel. Each copy takes the next item as soon as it is done with the
 * last.
 */
async function shareItems<T>(items: readonly T[], act: (copy: SourceCopy, item: T) => Promise<void>) {
  const left = items.values();
  await Promise.all(copies.map(async (copy) => {
    for (const item of left) await act(copy, item);
  }));
}

/**
 * Runs the test files of all mutations on the unmodified sources. All must pass, otherwise a failing test
 * would prove nothing.
 */
async function runUnbroken(): Promise<boolean> {
  const files = [...new Set(mutations.flatMap(({ tests }) => tests))];
  const start = performance.now();
  let green = true;
  await shareItems(files, async (copy, file) => {
    const { verdict, output } = await copy.runUnbroken(file);
    if (verdict === "green") return;
    console.log(`✘ ${file} ${verdict === "hangs" ? "hangs" : "fails"} without any mutation\n${output}`);
    green = false;
  });
  if (green) console.log(`✔ control: ${files.length} test files pass without a mutation${since(start)}`);
  return green;
}

async function testMutation(copy: SourceCopy, mutation: Mutation): Promise<boolean> {
  const start = performance.now();
  const outcome = await copy.try(mutation);
  const isCaught = "seenBy" in outcome;
  console.log(
    `${isCaught ? "✔" : "✘"} ${mutation.name}: ${isCaught ? outcome.seenBy : outcome.fault}${since(start)}`,
  );
  return isCaught;
}

function since(start: number): string {
  return `, ${((performance.now() - start) / 1000).toFixed(1)} s`;
}

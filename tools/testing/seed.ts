import { relative } from "node:path";
import process from "node:process";
import { fileURLToPath } from "node:url";
import fc from "fast-check";

const ROOT = fileURLToPath(new URL("../../", import.meta.url));
const SEED_MAX = 2 ** 31 - 1;
/**
 * Ends the search for a smaller counterexample after this time. A property that holds takes less, even on a
 * busy machine.
 */
const SEARCH_MS = 900_000;

/**
 * Seeds fast-check for one test file: from TEST_SEED, or at random. A property that fails names the seed and
 * the command that repeats the run. Call seedTests() once, with `import.meta.url`, in each file that imports
 * fast-check. `npm run check` checks that such a file imports seedTests().
 */
export function seedTests(url: string): number {
  const seed = readSeed(process.env.TEST_SEED);
  fc.configureGlobal({
    seed,
    interruptAfterTimeLimit: SEARCH_MS,
    markInterruptAsFailure: true,
    reporter(details) {
      if (!details.failed) return;
      throw new Error(`${fc.defaultReportMessage(details)}\n${describeRepeat(url, seed)}`, {
        cause: details.errorInstance,
      });
    },
  });
  return seed;
}

export function readSeed(given: string | undefined): number {
  if (given === undefined || given === "") return Math.floor(Math.random() * SEED_MAX);
  if (/^[0-9]{1,10}$/.test(given) && Number(given) <= SEED_MAX) return Number(given);
  throw new Error(`TEST_SEED must be an integer from 0 to ${SEED_MAX}; got ${given}.`);
}

/** The command that runs the file once more with the same random values. */
function describeRepeat(url: string, seed: number): string {
  return `To repeat it, run: TEST_SEED=${seed} npm test -- ${relative(ROOT, fileURLToPath(url))}`;
}

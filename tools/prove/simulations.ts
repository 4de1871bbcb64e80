import process from "node:process";
import { parseArgs } from "node:util";
import { type Draw, SimulatedHistory, testService } from "@gold-partner/server/testing";
import { randomFrom } from "../testing/random.ts";
import { readSeed } from "./stage/options.ts";
import { type Finding, Report } from "./stage/report.ts";

// npm run prove -- simulations [--short] [--seed N]: random sequences of simulations and ordinary calls, each
// by a new partner. A model predicts every reply and the final balances, and both must match. At the end, the
// books and the audit must be clean. The first sequence has the seed N, the next one N + 1, and so on. A
// violation names its sequence's seed; to run that sequence first, pass this number as --seed.

const SEQUENCES = { long: 1000, short: 50 };
const ACTIONS = 40;
/**
 * Limits the partners in one database, because each armed simulation makes the service read all partners
 * again.
 */
const SEQUENCES_PER_DATABASE = 50;

const { values } = parseArgs({ options: { short: { type: "boolean" }, seed: { type: "string" } } });
const sequences = SEQUENCES[values.short ? "short" : "long"];
const seed = readSeed(values.seed);
console.log(`seed ${seed}`);
const report = new Report();
for (let from = 0; from < sequences; from += SEQUENCES_PER_DATABASE) {
  const to = Math.min(from + SEQUENCES_PER_DATABASE, sequences);
  report.tried(`sequences ${from + 1} to ${to}`, await runSequences(seed + from, to - from));
}
process.exit(report.close("simulations") ? 0 : 1);

/** Runs sequences on a new database, and verifies its books and its audit. */
async function runSequences(firstSeed: number, count: number): Promise<Finding> {
  const service = await testService();
  try {
    const { sql } = service.books;
    await service.books.addBar(1_000_000_000n);
    const violations: string[] = [];
    for (let each = firstSeed; each < firstSeed + count; each++) {
      await SimulatedHistory.run(service, drawsOf(each)).catch(({ message }: Error) => {
        violations.push(`seed ${each}: ${message}`);
      });
    }
    const audit = await sql`select rule, subject from gold.verify_audit()`;
    const [counted] = await sql`
      select (select count(*) from gold.orders) as orders, (select count(*) from gold.withdrawal_step) as steps,
        (select count(*) from gold.audit where login like 'gold_simulation_%') as noted`;
    return {
      what: `${counted!.orders} orders, ${counted!.steps} withdrawal steps, ${
        counted!.noted
      } audit rows of simulations`,
      violations: [
        ...violations,
        ...await service.books.defects(),
        ...audit.map(({ rule, subject }) => `${rule}: ${subject}`),
      ],
    };
  } finally {
    await service.stop();
  }
}

/** Returns draws that depend on the seed alone. */
function drawsOf(seed: number): Draw[] {
  const random = randomFrom(seed);
  const next = () => random(2 ** 16);
  return Array.from({ length: ACTIONS }, () => [next(), next(), next()]);
}

import process from "node:process";
import { parseArgs } from "node:util";
import { checkOut } from "../testing/release/checkout.ts";
import { compareVersions } from "../testing/release/changelog.ts";
import { releases, resolveCommit } from "../testing/release/history.ts";
import { Report } from "./stage/report.ts";
import { proveUpgrade } from "./upgrade/prove_upgrade.ts";

// npm run prove -- upgrade [--short] [--from COMMIT]: upgrades the last two releases from 0.5.0 on, or only
// the last one with --short, to this version under load. Old and new processes serve side by side, the new
// ones replace the old ones, the old ones come back on the new schema, and the new ones replace them again.
// After the migration, two people sign for the partners of the release, because the new processes ignore
// unsigned rows. No request fails beyond the documented retries, no acknowledged order or withdrawal is lost,
// and each event is delivered.

const RELEASES = { long: 2, short: 1 };
/** Older databases pass through this release. */
const OLDEST = "0.5.0";
/** How long the load continues in each phase, besides the time in which processes start and end. */
const PHASE_MS = { long: 15_000, short: 1_500 };
/**
 * The longest time that a request may take with its retries. A short run only prints it: it also runs on busy
 * machines.
 */
const LIMIT_MS = { long: 10_000, short: Infinity };

const { values } = parseArgs({ options: { short: { type: "boolean" }, from: { type: "string" } } });
const scale = values.short ? "short" : "long";
const sources = values.from === undefined
  ? releases().filter(({ version }) => compareVersions(version, OLDEST) >= 0).slice(0, RELEASES[scale])
  : [{ version: values.from, commit: resolveCommit(values.from) }];
const report = new Report();
for (const { version, commit } of sources) {
  const checkout = await checkOut(commit);
  try {
    await proveUpgrade(
      checkout,
      { phaseMs: PHASE_MS[scale], limitMs: LIMIT_MS[scale] },
      (name, finding) => report.tried(`${version}: ${name}`, finding),
    );
  } finally {
    await checkout.remove();
  }
}
process.exit(report.close("upgrade") ? 0 : 1);

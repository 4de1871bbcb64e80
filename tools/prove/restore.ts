import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import process from "node:process";
import { setTimeout as sleep } from "node:timers/promises";
import { prepareAudit } from "./audit/check_audit.ts";
import { Deployment } from "./stage/deployment.ts";
import { checkBooks } from "./failover/round.ts";
import { Load } from "./stage/load.ts";
import { Report } from "./stage/report.ts";
import { BackedUpDatabase } from "./restore/backed_up_database.ts";
import { acceptByTwo, checkRefusal, HEADS_MS } from "./restore/accept_loss.ts";
import { compareBooks, readBooks } from "./restore/compare_books.ts";
import { checkRestored } from "./restore/check_restored.ts";
import { readOrders } from "./stage/stage.ts";

// npm run prove -- restore [--short]: Debian's Postgres 15, archived by Debian's pgBackRest with the settings
// of deploy/pgbackrest. The proof notes a second at which signed orders are in flight. Later the server is
// lost, and the books are restored as of that second. The service refuses writes until two people accept the
// loss.

const TRADERS = 4;
const LANES = 2;
const IN_FLIGHT = 16;
const FUNDING_SAR = "1000000";
const BEFORE_MS = process.argv.includes("--short") ? 5000 : 60_000;
const AFTER_MS = process.argv.includes("--short") ? 3000 : 30_000;

const report = new Report();
const database = await BackedUpDatabase.start();
const folder = await mkdtemp(join(tmpdir(), "gold-restore-"));
const headsFile = join(folder, "heads.json");
try {
  const deployment = await Deployment.start({
    servers: 1,
    traders: TRADERS,
    lanes: LANES,
    settings: { HEADS_FILE: headsFile },
    startDatabase: (state) => database.createDatabase(state),
  });
  try {
    await deployment.fund(FUNDING_SAR);
    const audit = await prepareAudit(deployment);
    database.backRest("--type=full", "backup");
    const load = new Load(deployment, IN_FLIGHT);
    await sleep(BEFORE_MS);
    const target = await noteNextSecond(deployment);
    await sleep(AFTER_MS);
    await load.stop();
    await database.untilArchived();
    await deployment.operator("backup check --max-age 1m");
    const original = await readBooks(deployment);
    await sleep(HEADS_MS);
    await database.lose();
    await database.restore(target.text);
    report.tried(`books as of ${target.text}`, await checkRestored(load, target, deployment));
    report.tried(
      "every append-only table and every partner",
      compareBooks(original, await readBooks(deployment), target.epochMs),
    );
    report.tried("gold audit full of the restored books", await audit());
    report.tried("the service refuses writes", await checkRefusal(deployment));
    await deployment.servers[0]!.stop();
    await deployment.servers[0]!.start();
    report.tried("the service refuses writes after its restart", await checkRefusal(deployment));
    report.tried("two people accept the loss", await acceptByTwo(deployment, headsFile, load));

    await deployment.renewTokens();
    const known = await deployment.inNewSession((sql) => readOrders({ sql }));
    const again = new Load(deployment, IN_FLIGHT);
    await sleep(AFTER_MS);
    await again.stop();
    report.tried("orders after the restore", await checkBooks([...known, ...again.acknowledged], deployment));
    await deployment.operator("ledger verify");
    report.tried("gold audit full", await audit());
  } finally {
    await deployment.stop();
  }
} finally {
  await database.stop();
  await rm(folder, { recursive: true });
}
process.exit(report.close("restore") ? 0 : 1);

/**
 * Waits for the next whole second of the database's clock. Returns it by that clock and by performance.now().
 */
async function noteNextSecond({ sql }: Deployment) {
  const sentMs = performance.now();
  const [row] = await sql`
    select date_trunc('second', at) + interval '1 second' as second, (extract(epoch from at) * 1000)::float8 as ms
    from clock_timestamp() at`;
  const epochMs = (row!.second as Date).getTime();
  await sleep(epochMs - row!.ms);
  // Not after the second, because the query was sent before the database read its clock.
  const monotonicMs = sentMs + epochMs - row!.ms;
  // The format of pgBackRest's --target.
  const text = `${(row!.second as Date).toISOString().slice(0, 19).replace("T", " ")}+00`;
  return { text, epochMs, monotonicMs };
}

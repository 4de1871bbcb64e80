import { after, before, describe, it } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { assertEquals, assertThrows } from "@std/assert";
import { Deployment } from "../../tools/prove/stage/deployment.ts";
import { PatroniCluster } from "../../tools/prove/failover/patroni_cluster.ts";
import { checkBooks } from "../../tools/prove/failover/round.ts";
import { Load } from "../../tools/prove/stage/load.ts";
import { compareBooks, readBooks } from "../../tools/prove/restore/compare_books.ts";
import { ask } from "../../tools/prove/stage/trader.ts";
import { until } from "../../tools/testing/until.ts";
import { readSection } from "./doc_fixture.ts";
import { readPage } from "./page_fixture.ts";

const IN_FLIGHT = 4;
const ORDERS = 100;
/** The lock of a crashed leader expires after 20 s (`ttl`), and a busy etcd notices it a little later. */
const LOCK_MS = 25_000;

describe("backups of a Patroni cluster", () => {
  let cluster: PatroniCluster;
  let deployment: Deployment;
  const acknowledged: string[] = [];
  before(async () => {
    cluster = await PatroniCluster.start({ backups: true });
    deployment = await Deployment.start({
      servers: 1,
      traders: 2,
      lanes: 1,
      settings: { HA: "on" },
      startDatabase: (state) => cluster.createDatabase(state),
    });
    for (const trader of deployment.traders) {
      assertEquals((await ask(deployment.servers[0]!.socket, trader.fund("1000000")))?.status, 201);
    }
  });
  after(async () => {
    await deployment?.stop();
    await cluster?.stop();
  });

  const trade = async (meanwhile: () => Promise<unknown> = async () => {}) => {
    await deployment.renewTokens();
    const load = new Load(deployment, IN_FLIGHT);
    await meanwhile();
    const known = load.acknowledged.length;
    await until(() => load.acknowledged.length >= known + ORDERS);
    await load.stop();
    acknowledged.push(...load.acknowledged);
  };
  /**
   * Begins a new WAL file, and waits until each standby has the rest of the old one. Returns the name of the
   * old one. A standby without this rest would archive the file only at a later checkpoint.
   */
  const switchFile = () =>
    deployment.inNewSession(async (sql) => {
      const [row] = await sql`select pg_walfile_name(pg_switch_wal()) as name`;
      await until(async () =>
        (await sql`select from pg_stat_replication where flush_lsn < pg_current_wal_lsn()`).length === 0
      );
      return row!.name as string;
    });
  const untilArchived = (name: string) =>
    until(async () => {
      const [row] = await deployment.inNewSession((sql) =>
        sql`select last_archived_wal >= ${name} as archived from pg_stat_archiver`
      );
      return row!.archived;
    });

  it("restore the books of a moment after a failover, although the lost leader had not archived its last files", async () => {
    cluster.backRest(cluster.leader, "stanza-create");
    await trade();
    cluster.backRest(cluster.leader, "--type=full", "backup");
    const lost = cluster.leader;
    // The leader does not reach the repository any more.
    cluster.backRest(lost, "stop");
    for (let n = 0; n < 2; n++) {
      await trade();
      await switchFile();
    }
    await trade(async () => {
      await lost.killHost();
      await cluster.untilWhole(1);
    });
    const [at] = await deployment.inNewSession((sql) =>
      sql`select at::text as text, (extract(epoch from at) * 1000)::float8 as ms from clock_timestamp() at`
    );
    const expected = [...acknowledged];
    await trade();
    // The daily job runs on each server. On a standby, pgBackRest refuses the backup.
    const standby = cluster.standbys.find((each) => each !== lost)!;
    const refusal = assertThrows(() => cluster.backRest(standby, "backup"), Error);
    assertEquals((refusal as Error & { status: number }).status, 56);
    cluster.backRest(cluster.leader, "--type=diff", "backup");
    await trade();
    await untilArchived(await switchFile());
    const original = await readBooks(deployment);

    const node = cluster.leader;
    await cluster.killAll();
    const page = await readPage("recovery.md");
    const [remove, stop, ...others] = readSection(page, "Restore a Patroni cluster");
    assertEquals(others, []);
    const steps = [remove!, ...readSection(page, "Restore to a moment"), stop!];
    const variables = { NEW_DATA: node.data, NEW_DATABASE: cluster.urlOf(node), MOMENT: at!.text };
    await sleep(LOCK_MS);
    await node.shell([
      ...Object.entries(variables).map(([name, value]) => `${name}='${value}'`),
      ...steps.map(({ commands }) => commands),
    ].join("\n"));
    node.start();
    await cluster.untilWhole(0);
    for (const standby of cluster.standbys) {
      await standby.shell(`mv '${standby.data}' '${standby.data}.old'`);
      standby.start();
    }
    await cluster.untilWhole();
    assertEquals(compareBooks(original, await readBooks(deployment), at!.ms).violations, []);
    await deployment.servers[0]!.heal();
    acknowledged.splice(0, Infinity, ...expected);
    await trade();
    assertEquals((await checkBooks(acknowledged, deployment)).violations, []);
  });
});

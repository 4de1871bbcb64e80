import { execFileSync } from "node:child_process";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import { type Running, start } from "@gold-partner/dev";
import { findFreePort, startPostgres } from "@gold-partner/dev/postgres";
import { assertEquals, assertMatch } from "@std/assert";
import postgres from "postgres";
import { until } from "../../tools/testing/until.ts";
import { runCli, writeCredentials } from "./cli_fixture.ts";
import { runGold } from "../fixtures/gold.ts";

interface Violation {
  readonly rule?: string;
  readonly check?: string;
  readonly result?: string;
  readonly record: string;
  readonly expected: string;
  readonly found: string;
}

describe("a standby without the newest events that is promoted", () => {
  let folder: string;
  let heads: string;
  let running: Running | undefined;
  let port: number;
  let env: { GOLD_CREDENTIALS: string };
  /** The file of heads before the promotion. Its last head is of an event that the standby lacks. */
  let kept: string;
  const items = () => (JSON.parse(kept) as { items: { sequence: string; head: string }[] }).items;

  const startAll = async () => {
    const stateDir = join(folder, "state");
    running = await start({ port, stateDir, reset: false, demo: false, report: () => {} });
    return running;
  };
  const order = async () => {
    const { exit, err } = await runCli(["trigger", "order.executed"], { env });
    assertEquals([exit, err], [0, ""]);
  };
  const audit = async () => {
    const { exit, out } = await runCli(["audit", "--heads", heads, "--json"], { env });
    const { items } = JSON.parse(out) as { items: Violation[] };
    return { exit, failed: items.filter(({ result }) => result === "failed") };
  };
  const superuserUrl = async () => {
    const server = await startPostgres({ dataDir: join(folder, "state", "postgres") });
    return { server, url: server.superuserUrl("gold") };
  };

  before(async () => {
    folder = await mkdtemp(join(tmpdir(), "gold-rolled-back-"));
    heads = join(folder, "heads.json");
    port = await findFreePort();
    env = { GOLD_CREDENTIALS: await writeCredentials(folder, (await startAll()).credentials) };
    const [primary, standby] = [join(folder, "state", "postgres"), join(folder, "standby")];
    await order();
    assertEquals(await audit(), { exit: 0, failed: [] });
    await running!.stop();
    execFileSync("cp", ["-a", primary, standby]);
    await startAll();
    await order();
    assertEquals(await audit(), { exit: 0, failed: [] });
    await running!.stop();
    await rm(primary, { recursive: true });
    execFileSync("mv", [standby, primary]);
    // Postgres runs as another user if the tests run as root. So copy a file of its folder, with its owner.
    const [any, signal] = ["PG_VERSION", "standby.signal"].map((name) => join(primary, "cluster", name));
    execFileSync("cp", ["-a", any!, signal!]);
    const { server, url } = await superuserUrl();
    const sql = postgres(url, { max: 1 });
    await sql`select pg_promote()`;
    await sql.end();
    await server.stop();
    await startAll();
    kept = await readFile(heads, "utf8");
  });
  after(async () => {
    await running?.stop();
    await rm(folder, { recursive: true, force: true });
  });

  it("makes gold-partner audit --heads name the lost event and the last common one, and keep the file", async () => {
    const [common, lost] = items();
    const { exit, failed: [failed, ...more] } = await audit();
    assertEquals([exit, failed!.check, failed!.record, failed!.expected, more], [
      1,
      ...["kept_head", lost!.sequence, lost!.head],
      [],
    ]);
    assertEquals(
      failed!.found,
      `nothing, because your chain ends at event ${common!.sequence}. The newest event that your chain and ` +
        `the file of --heads have in common is ${common!.sequence}`,
    );
    assertEquals(await readFile(heads, "utf8"), kept);
  });

  it("makes gold audit full --heads report the same event from the partner's file, and quote the epoch", async () => {
    const { url } = await superuserUrl();
    const sql = postgres(url, { max: 1 });
    // The service notes the epoch when it looks for days to close.
    const epoch = await until(async () => (await sql`select began_at from gold.epoch where id = 2`)[0]);
    await sql.end();
    const { out } = await runGold(["audit", "full", "--heads", heads, "--json"], { DATABASE_URL: url });
    const found = (JSON.parse(out) as { items: Violation[] }).items
      .filter(({ rule }) => rule === "head_is_kept");
    assertEquals(found.map(({ expected }) => expected), [items()[1]!.head]);
    assertMatch(
      found[0]!.found,
      /^nothing: the chain ends before\. The newest epoch is 2, on timeline 2 since /,
    );
    assertEquals(found[0]!.found.includes(new Date(epoch!.began_at).toISOString()), true, found[0]!.found);
  });

  it("is still reported after new events have the numbers of the lost ones", async () => {
    const [common, lost] = items();
    await order();
    await order();
    const { exit, failed: [failed, ...more] } = await audit();
    assertEquals([exit, failed!.record, more], [1, lost!.sequence, []]);
    assertMatch(
      failed!.found,
      new RegExp(`^[0-9a-f]{64}\\. The newest event that .* have in common is ${common!.sequence}$`),
    );
    assertEquals(await readFile(heads, "utf8"), kept);
  });
});

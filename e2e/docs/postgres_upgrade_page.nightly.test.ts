import { generateKeyPairSync, randomUUID } from "node:crypto";
import { mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { delimiter, dirname, join } from "node:path";
import { tmpdir } from "node:os";
import process from "node:process";
import { fileURLToPath } from "node:url";
import { after, before, describe, it } from "node:test";
import postgres, { type Sql } from "postgres";
import { createDatabase, urlsAt } from "@gold-partner/dev";
import { assert, assertEquals, assertRejects, assertStringIncludes } from "@std/assert";
import { type RunningPostgres, startPostgres } from "@gold-partner/dev/postgres";
import { Deployment } from "../../tools/prove/stage/deployment.ts";
import { Load } from "../../tools/prove/stage/load.ts";
import { DebianPostgres, findProgram, makeServerFolder } from "../../tools/testing/debian_postgres.ts";
import { ask } from "../../tools/prove/stage/trader.ts";
import { verdictOf } from "../../tools/prove/stage/wire.ts";
import { until } from "../../tools/testing/until.ts";
import { readSteps, type Step } from "./doc_fixture.ts";
import { readPage } from "./page_fixture.ts";
import { openShell, type Shell } from "./shell_fixture.ts";

const PAGE = "postgres_upgrade.md";
const REPOSITORY = fileURLToPath(new URL("../..", import.meta.url));
const RUNTIME = "Deno" in globalThis ? "run -A" : "";
const GOLD = `#!/bin/sh\nexec '${process.execPath}' ${RUNTIME} '${REPOSITORY}/tools/run.mjs' gold "$@"\n`;
const SERVICE = "server_1";
const LANES = { LANES: "2" };
/** The SQLSTATE of a slot that a connection uses. */
const OBJECT_IN_USE = "55006";

describe("the page on upgrading Postgres", () => {
  let folder: string;
  let serverFolder: string;
  let old: DebianPostgres;
  let newer: RunningPostgres;
  let deployment: Deployment;
  let urls: Awaited<ReturnType<typeof urlsAt>>;
  let shell: Shell;
  let load: Load | undefined;
  let hasMoved = false;
  before(async () => {
    folder = mkdtempSync(join(tmpdir(), "gold-upgrade-"));
    serverFolder = makeServerFolder();
    old = await DebianPostgres.create(serverFolder);
    // The new server connects to the old one without a password.
    writeFileSync(join(serverFolder, "primary", "pg_hba.conf"), "host all all 127.0.0.1/32 trust\n");
    await postgres(old.url(), { max: 1, idle_timeout: 1 })`select pg_reload_conf()`;
    newer = await startPostgres({ dataDir: join(folder, "newer") });
    const superuserUrl = (database?: string) => hasMoved ? newer.superuserUrl(database) : old.url(database);
    deployment = await Deployment.start({
      servers: 1,
      traders: 2,
      lanes: 2,
      settings: { HEADS_FILE: headsFile() },
      async startDatabase(state) {
        await createDatabase(state, { superuserUrl });
        urls = await urlsAt(state, old.port);
        return { urls, postgres: { port: old.port, pid: old.pid, superuserUrl, stop: () => newer.stop() } };
      },
    });
    await changeLogins("operator add amina --roles pricing");
    writeFileSync(join(folder, "gold"), GOLD, { mode: 0o755 });
    symlinkSync(join(REPOSITORY, "deploy"), join(folder, "deploy"));
    const { port, password } = new URL(newer.superuserUrl());
    writeFileSync(join(folder, "pgpass"), `127.0.0.1:${port}:*:postgres:${password}\n`, { mode: 0o600 });
    shell = openShell(folder, {
      PATH: [folder, dirname(findProgram("psql")), process.env.PATH].join(delimiter),
      HOME: process.env.HOME!,
      INIT_CWD: folder,
      GOLD_ENV: "sandbox",
      GOLD_KEYS: deployment.state.path("keys.json"),
      OPERATOR_KEYS: deployment.operators.keysFile!,
      PGPASSFILE: join(folder, "pgpass"),
      OLD_SERVER: `host=127.0.0.1 port=${old.port} user=postgres`,
      NEW_MIGRATION_URL: (await urlsAt(deployment.state, newer.port)).migration,
      NEW_SERVER: `host=127.0.0.1 port=${newer.port} user=postgres`,
    });
    await useUrls();
  });
  after(async () => {
    await shell?.stop();
    await load?.stop();
    await deployment?.stop();
    await newer?.stop();
    await old?.crash();
    for (const path of [folder, serverFolder]) rmSync(path, { recursive: true, force: true });
  });

  const headsFile = () => join(folder, "heads_outside.json");
  /** Two people sign a change of the operators' logins, and then the first person makes it. */
  const changeLogins = async (words: string) => {
    await deployment.operator(words);
    await deployment.operators.people[0](words);
  };
  const useUrls = () =>
    shell.run(
      `export DATABASE_URL='${urls.operators[0]}' SECOND_DATABASE_URL='${
        urls.operators[1]
      }' MIGRATION_DATABASE_URL='${urls.migration}'`,
    );
  const follow = async (steps: readonly Step[]) => {
    for (const { line, commands } of steps) {
      await shell.run(commands).catch((error: Error) => {
        throw new Error(`docs/${PAGE}, line ${line}: ${error.message}`);
      });
    }
  };
  /** Expects that the script refuses a step with this sentence. */
  const refuses = async (step: string, sentence: string, settings = "LIMIT_SECONDS=1") => {
    const came = await shell.run(
      `if ${settings} deploy/database/upgrade.sh ${step} 2>&1; then echo "it succeeded"; fi`,
    );
    assertEquals(came.split("\n").at(-2), `upgrade.sh: ${sentence}`);
  };
  const listWeeks = async (sql: Sql) => {
    const weeks = await sql`
      select c.relname as week, (select count(*)::int from pg_trigger t where t.tgrelid = c.oid) as triggers
      from pg_inherits i join pg_class c on c.oid = i.inhrelid where i.inhparent = 'gold.attempt'::regclass order by 1`;
    return [...weeks];
  };

  it("contains only commands that succeed in the printed order, and moves every order to the new server", async () => {
    const page = await readPage(PAGE);
    const steps = readSteps(page);
    const [copyLine, switchLine] = ["Copy the books", "Switch"].map((title) => {
      assertStringIncludes(page, `\n## ${title}\n`);
      return page.slice(0, page.indexOf(`\n## ${title}\n`)).split("\n").length;
    }) as [number, number];
    const socket = deployment.servers[0]!.socket;
    const trader = deployment.traders[0]!;
    const countSlots = async () =>
      (await deployment.inNewSession((sql) => sql`select from pg_replication_slots`)).length;
    for (const buyer of deployment.traders) {
      assertEquals(verdictOf(await ask(socket, buyer.fund("1000000"))), "201");
    }
    const quote = async () => {
      const reply = await ask(socket, trader.quote("buy", "0.01"));
      assertEquals(verdictOf(reply), "201");
      return (JSON.parse(reply!.body) as { quote_id: string }).quote_id;
    };
    const order = { quoteId: await quote(), key: randomUUID() };
    const send = async () => await ask(socket, await trader.order(order.quoteId, { key: order.key }));
    const first = await send();
    assertEquals(verdictOf(first), "201");

    // A week of attempts from before the upgrade.
    await deployment.sql.unsafe(`
      do $$
      declare
        week date := date_trunc('week', clock_timestamp() at time zone 'UTC') - interval '7 days';
        name text := 'gold_attempts.week_' || to_char(week, 'YYYYMMDD');
      begin
        set local role gold_owner;
        execute format('create table %s (like gold.attempt including defaults)', name);
        execute format('create trigger append_only before update or delete or truncate on %s
          for each statement execute function gold.refuse_change()', name);
        execute format('alter table gold.attempt attach partition %s for values from (%L) to (%L)', name, week, week + 7);
      end $$`);
    const weeks = await listWeeks(deployment.sql);
    load = new Load(deployment, 4);
    await refuses(
      "start",
      "wal_level of the old server must be logical. Set it, restart the server, and run start again.",
    );
    await follow(steps.filter(({ line }) => line < copyLine));
    await old.crash();
    await old.start();
    await deployment.servers[0]!.heal();

    const [copy, undo, ...again] = steps.filter(({ line }) => line > copyLine && line < switchLine);
    await refuses("wait", "nothing is being copied. Run start first.");
    await follow([copy!]);
    // As after a failover, the old server has no slot. The new server reconnects when its connection is
    // ended.
    await until(() =>
      deployment.inNewSession((sql) =>
        sql`
        select from pg_replication_slots s, pg_terminate_backend(s.active_pid, 5000), pg_drop_replication_slot(s.slot_name)`
      ).then(() => true, ({ code }) => {
        assertEquals(code, OBJECT_IN_USE);
        return false;
      })
    );
    assertEquals(await countSlots(), 0);
    await follow([undo!, ...again]);
    assertEquals(await countSlots(), 1);
    await follow([undo!]);
    assertEquals(await countSlots(), 0);
    await follow(again);
    // Changes of the tables that have no primary key.
    await deployment.operator(`partner set ${trader.clientId} --ip 127.0.0.1 --ip 10.0.0.0/8`);
    const keyFile = join(folder, "key.pem");
    const { publicKey } = generateKeyPairSync("ec", { namedCurve: "prime256v1" });
    writeFileSync(keyFile, publicKey.export({ type: "spki", format: "pem" }));
    const { thumbprint } = await deployment.operator("signing-key add", trader.clientId, keyFile);
    await deployment.operator(`signing-key retire ${trader.clientId}`, thumbprint as string);
    const [keep, change, finish, ...checks] = steps.filter(({ line }) => line > switchLine);
    await follow([keep!]);
    // The new server cannot store new orders for a while.
    const held = postgres(newer.superuserUrl("gold"), { max: 1, onnotice: () => {} });
    await held.unsafe("begin; lock table gold.orders in share mode");
    const copied = load.acknowledged.length;
    await until(() => load!.acknowledged.length > copied + 20);
    await deployment.servers[0]!.stop();
    const stopped = load.acknowledged.length;
    await refuses("switch", "the new server lacks the last changes. Run switch again, or undo.");
    await held.end();
    await follow([change!]);
    await refuses("undo", "the new server is open, and may have new orders. Nothing was changed.");
    await refuses(
      "undo",
      "the new server does not answer, so it may have new orders. Nothing was changed.",
      "NEW_SERVER='host=127.0.0.1 port=1'",
    );
    await assertRejects(() => deployment.operator("partner list"), Error, "too many connections");
    hasMoved = true;
    Object.assign(urls, await urlsAt(deployment.state, newer.port));
    await useUrls();
    await follow([finish!]);
    const server = await deployment.addServer(SERVICE, "all", { ...LANES, HEADS_FILE: headsFile() });
    await server.heal();
    await until(() => load!.acknowledged.length > stopped + 20);
    await load.stop();
    assertEquals(load.unanswered, []);
    assertEquals(await server.readGauge("gold_records_missing"), 0);
    await follow(checks);

    const replayed = await send();
    assertEquals([verdictOf(replayed), replayed!.body], ["200 replayed", first!.body]);
    const sql = deployment.connectSuperuser(1);
    try {
      const [version] = await sql`select current_setting('server_version_num')::int >= 180000 as newer`;
      assert(version!.newer);
      assertEquals(await listWeeks(sql), weeks);
      const [attempts] = await sql`select count(*)::int as count from gold.attempt`;
      assert(attempts!.count > 0);
      const rows = await sql<{ id: string }[]>`select 'ord_' || id::text as id from gold.orders`;
      const moved = new Set(rows.map(({ id }) => id));
      assertEquals(load.acknowledged.filter((id) => !moved.has(id)), []);
      const gaps = await sql`
        select a.client_id from gold.account a left join gold.event e using (bucket, client_id)
        group by a.client_id, a.event_sequence having count(e.sequence) <> a.event_sequence and a.client_id <> 0`;
      assertEquals([...gaps], []);
      const [epoch] = await sql`select count(*)::int as count from gold.epoch`;
      assertEquals(epoch!.count, 2);
    } finally {
      await sql.end();
    }
    // A new partner, a new login and the end of an old login need the sequences and the rights of the owner.
    await changeLogins("operator remove amina");
    await changeLogins("operator add khalid --roles pricing");
    assert(
      !readFileSync(deployment.state.path("log", `${SERVICE}.log`), "utf8").includes("records are missing"),
    );
  });
});

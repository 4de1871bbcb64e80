import { spawn } from "node:child_process";
import { once } from "node:events";
import * as fs from "node:fs";
import { createServer } from "node:net";
import { join } from "node:path";
import { after, afterEach, before, describe, it } from "node:test";
import { assert, assertEquals, assertMatch, assertRejects, assertStringIncludes } from "@std/assert";
import { removeFolder } from "./remove_folder.ts";
import { PostgresStartError } from "./error.ts";
import { findPostmaster, isServerOf, stopPostmaster } from "./postmaster.ts";
import { type PostgresOptions, type RunningPostgres, startPostgres } from "./start_postgres.ts";
import { kill, makeFolder, query, readStarted, startElsewhere } from "./fixture.ts";

describe("startPostgres()", () => {
  let folder: string;
  let dataDir: string;
  let clusterDir: string;

  before(async () => {
    folder = makeFolder();
    dataDir = join(folder, "postgres");
    clusterDir = join(dataDir, "cluster");
    const zone = process.env.TZ;
    process.env.TZ = "Asia/Riyadh";
    const server = await start();
    if (zone === undefined) delete process.env.TZ;
    else process.env.TZ = zone;
    await query(server.superuserUrl(), (sql) => sql`create table kept as select 42 as answer`);
    await server.stop();
  });

  afterEach(async () => {
    const left = findPostmaster(clusterDir);
    if (left) await stopPostmaster(clusterDir, left.pid);
  });

  after(() => removeFolder(folder));

  const start = (options: Partial<PostgresOptions> = {}): Promise<RunningPostgres> =>
    startPostgres({ dataDir, ...options });

  async function assertKept(server: RunningPostgres): Promise<void> {
    const [row] = await query(server.superuserUrl(), (sql) => sql`select answer from kept`);
    assertEquals(row?.answer, 42);
  }

  it("starts a durable server that requires a password and listens only on loopback", async () => {
    const server = await start();
    assertEquals([server.host, server.reused], ["127.0.0.1", false]);
    const [settings] = await query(
      server.superuserUrl(),
      (sql) =>
        sql`select current_setting('listen_addresses') as addresses, current_setting('fsync') as fsync,
        current_setting('full_page_writes') as pages, current_setting('synchronous_commit') as commits,
        current_setting('server_encoding') as encoding, current_setting('log_timezone') as zone, current_setting('max_connections') as connections,
        (select string_agg(distinct auth_method, ',') from pg_hba_file_rules) as methods,
        (select datlocale from pg_database where datname = 'postgres') as locale`,
    );
    assertEquals({ ...settings }, {
      addresses: "127.0.0.1",
      fsync: "on",
      pages: "on",
      commits: "on",
      encoding: "UTF8",
      zone: "UTC",
      connections: "200",
      methods: "scram-sha-256",
      locale: "C.UTF-8",
    });
    const wrong = server.superuserUrl().replace(/:[^:@]+@/, ":wrong@");
    await assertRejects(() => query(wrong, (sql) => sql`select 1`));
    assertStringIncludes(server.superuserUrl("a/b"), `@127.0.0.1:${server.port}/a%2Fb`);
  });

  it("keeps data across a restart, and shuts down cleanly", async () => {
    const server = await start();
    await assertKept(server);
    await Promise.all([server.stop(), server.stop()]);
    assertEquals([isServerOf(clusterDir, server.pid), findPostmaster(clusterDir)], [false, undefined]);
    const printed = fs.readFileSync(join(dataDir, "postgres.log"), "utf8");
    assert(printed.trimEnd().endsWith("database system is shut down"), printed);
  });

  it("reuses and stops the server that a killed process left", async () => {
    const child = startElsewhere(dataDir);
    const left = await readStarted(child);
    await kill(child);
    const log: string[] = [];
    const server = await start({ log: (line) => log.push(line) });
    assertEquals([server.pid, server.reused], [left.pid, true]);
    assertMatch(log.join(), /reusing Postgres/);
    await assertKept(server);
    await assertRejects(() => start({ port: server.port + 1 }), PostgresStartError, "already runs");
    assertEquals((await start({ port: server.port })).reused, true);
    await server.stop();
    assertEquals(findPostmaster(clusterDir), undefined);
  });

  it("gives concurrent starts the same server", async () => {
    const servers = await Promise.all([start(), start(), start()]);
    assertEquals(new Set(servers.map(({ pid }) => pid)).size, 1);
    assertEquals(servers.filter(({ reused }) => !reused).length, 1);
  });

  it("starts a new server immediately after the server was killed", async () => {
    const first = await start();
    process.kill(first.pid, "SIGKILL");
    const second = await start();
    assert(!second.reused && second.pid !== first.pid);
    await assertKept(second);
  });

  it("ignores a pid file whose pid now belongs to another process", async () => {
    const first = await start();
    const pidFile = join(clusterDir, "postmaster.pid");
    const content = fs.readFileSync(pidFile, "utf8");
    await first.stop();
    const { uid, gid } = fs.statSync(clusterDir);
    // Give the process the same account, because Postgres ignores pids of other accounts. This account may not
    // enter the folder of the clone.
    const account = process.getuid?.() === 0 ? { uid, gid } : {};
    const stranger = spawn("sleep", ["60"], { cwd: "/", ...account });
    fs.writeFileSync(pidFile, content.replace(/^\d+/, String(stranger.pid)));
    const second = await start();
    assertEquals([second.reused, stranger.exitCode], [false, null]);
    await kill(stranger);
  });

  it("ignores a pid file that a crash of the machine emptied", async () => {
    const pidFile = join(clusterDir, "postmaster.pid");
    fs.writeFileSync(pidFile, "");
    fs.utimesSync(pidFile, new Date(0), new Date(0));
    await assertKept(await start());
  });

  it("refuses a requested port that is taken, and uses a requested port that is free", async () => {
    const holder = createServer().listen(0, "127.0.0.1");
    await once(holder, "listening");
    const { port } = holder.address() as { port: number };
    await assertRejects(() => start({ port }), PostgresStartError, `Port ${port} is taken`);
    holder.close();
    await once(holder, "close");
    assertEquals((await start({ port })).port, port);
  });

  it("applies settings, but rejects settings that risk data loss or that it sets itself", async () => {
    const server = await start({ settings: { work_mem: "7MB", max_connections: "33" } });
    const [row] = await query(
      server.superuserUrl(),
      (sql) =>
        sql`select current_setting('work_mem') as work_mem, current_setting('max_connections') as connections,
        current_setting('shared_buffers') as buffers`,
    );
    assertEquals({ ...row }, { work_mem: "7MB", connections: "33", buffers: "256MB" });
    for (const name of ["fsync", "full_page_writes", "synchronous_commit", "listen_addresses", "port"]) {
      await assertRejects(() => start({ settings: { [name]: "off" } }), PostgresStartError, name);
    }
  });

  it("reports what Postgres printed when it does not start", async () => {
    const error = await assertRejects(() => start({ settings: { work_mem: "lots" } }), PostgresStartError);
    assertMatch(error.message, /does not start on .*work_mem/s);
  });

  it("stops a server that rejects the stored password", async () => {
    const file = join(dataDir, "password");
    const password = fs.readFileSync(file);
    fs.writeFileSync(file, "another");
    await assertRejects(() => start(), PostgresStartError, "does not answer");
    assertEquals(findPostmaster(clusterDir), undefined);
    fs.writeFileSync(file, password);
  });

  it("runs in a folder that other users may not enter, such as root's home", async () => {
    fs.chmodSync(folder, 0o700);
    const server = await start();
    await assertKept(server);
    await server.stop();
    fs.chmodSync(folder, 0o755);
  });

  it("reuses a server that it reaches through a symbolic link", async () => {
    const server = await start();
    const other = join(folder, "other");
    fs.symlinkSync(dataDir, other);
    assertEquals((await start({ dataDir: other })).pid, server.pid);
  });

  it("offers a Unix socket only if its path is short enough, also after the folder was moved", async () => {
    const server = await start();
    assert(server.socketDir && fs.existsSync(join(server.socketDir, `.s.PGSQL.${server.port}`)));
    await server.stop();
    const moved = join(folder, "long".repeat(20));
    fs.renameSync(dataDir, moved);
    const there = await start({ dataDir: moved });
    assertEquals(there.socketDir, undefined);
    await assertKept(there);
    await there.stop();
    fs.renameSync(moved, dataDir);
  });
});

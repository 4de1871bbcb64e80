import { execFileSync } from "node:child_process";
import { chmodSync, chownSync, mkdtempSync, realpathSync, rmSync, statSync, writeFileSync } from "node:fs";
import { createServer, type Server } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import process from "node:process";
import {
  findFreePort,
  type RunningPostgres,
  startPostgres,
  stopPostmaster,
  type TestPostgres,
  testPostgres,
} from "@gold-partner/dev/postgres";
import postgres, { type Sql } from "postgres";
import { until } from "../../../tools/testing/until.ts";

type Name = "first" | "second";

const SETTINGS = { max_connections: "100", shared_buffers: "64MB", wal_keep_size: "64MB" };

/** Two real servers: `first` starts as the primary, `second` as its synchronous standby. */
export class PostgresPair {
  readonly #folder: string;
  readonly #ports: Record<Name, number>;
  readonly #running: Partial<Record<Name, RunningPostgres>> = {};
  readonly #clients: Sql[] = [];
  /** Accepts connections and never answers, like the port of a frozen machine. */
  readonly #silent: Server = createServer((socket) => void socket.on("error", () => {}));

  private constructor(folder: string, ports: Record<Name, number>) {
    this.#folder = folder;
    this.#ports = ports;
  }

  static async start(): Promise<PostgresPair> {
    const folder = mkdtempSync(join(realpathSync(tmpdir()), "gold-pair-"));
    chmodSync(folder, 0o755);
    const pair = new PostgresPair(folder, { first: await findFreePort(), second: await findFreePort() });
    await new Promise<void>((resolve) => pair.#silent.listen(0, "127.0.0.1", resolve));
    await pair.run("first");
    await pair.#running.first!.stop();
    execFileSync("cp", ["-a", pair.#dataDir("first"), pair.#dataDir("second")]);
    const cluster = join(pair.#dataDir("second"), "cluster");
    const { uid, gid } = statSync(cluster);
    writeFileSync(join(cluster, "standby.signal"), "");
    chownSync(join(cluster, "standby.signal"), uid, gid);
    await pair.run("first");
    await pair.run("second");
    const { password } = new URL(pair.#running.first!.superuserUrl());
    // The service's logins, with a password. The migration gives them their rights.
    for (const login of ["gold_api", "gold_delivery", "gold_ticker"]) {
      await pair.sql("first").unsafe(`create role ${login} login password '${password}'`);
    }
    await pair.configure("first", "synchronous_standby_names = 'standby'");
    await pair.untilStreaming();
    return pair;
  }

  async run(name: Name): Promise<void> {
    const { password } = new URL(this.#running.first?.superuserUrl() ?? "postgres://localhost");
    this.#running[name] = await startPostgres({
      dataDir: this.#dataDir(name),
      port: this.#ports[name],
      settings: name === "first" ? SETTINGS : {
        ...SETTINGS,
        primary_conninfo:
          `host=127.0.0.1 port=${this.#ports.first} user=postgres password=${password} application_name=standby`,
      },
    });
  }

  /** Ends all processes of the server at once, without a checkpoint. */
  async crash(name: Name): Promise<void> {
    const { pid } = this.#running[name]!;
    await stopPostmaster(join(this.#dataDir(name), "cluster"), pid, false);
  }

  async promote(): Promise<void> {
    await this.sql("second")`select pg_promote()`;
  }

  async configure(name: Name, setting: string): Promise<void> {
    const sql = this.sql(name);
    await sql.unsafe(`alter system set ${setting}`);
    await sql`select pg_reload_conf()`;
  }

  async untilStreaming(): Promise<void> {
    const sql = this.sql("first");
    await until(async () =>
      (await sql`select from pg_stat_replication where state = 'streaming' and sync_state = 'sync'`)
        .length === 1
    );
  }

  /** A superuser's client. */
  sql(name: Name, database = "postgres"): Sql {
    const client = postgres(this.#running[name]!.superuserUrl(database), { max: 1, onnotice: () => {} });
    this.#clients.push(client);
    return client;
  }

  port = (name: Name): number => this.#ports[name];

  /**
   * The given URL with three hosts: one that never answers, `second` and `first`. The lock timeout is long,
   * so that a test can stop a server while a statement waits for a lock.
   */
  urlOf({ username, password, pathname, searchParams }: URL): string {
    const { port } = this.#silent.address() as { port: number };
    const hosts = [port, this.#ports.second, this.#ports.first].map((one) => `127.0.0.1:${one}`);
    const role = username.startsWith("gold_") ? username : searchParams.get("role") ?? "gold_api";
    const options = `target_session_attrs=primary&lock_timeout=9000&role=${role}`;
    return `postgres://${username}:${password}@${hosts}${pathname}?${options}`;
  }

  /** The primary, for tests that create databases. */
  async server(): Promise<TestPostgres> {
    const before = process.env.TEST_POSTGRES_URL;
    process.env.TEST_POSTGRES_URL = this.#running.first!.superuserUrl();
    try {
      return await testPostgres();
    } finally {
      if (before === undefined) delete process.env.TEST_POSTGRES_URL;
      else process.env.TEST_POSTGRES_URL = before;
    }
  }

  async stop(): Promise<void> {
    await Promise.all(this.#clients.map((client) => client.end({ timeout: 0 })));
    for (const name of ["first", "second"] as const) await this.crash(name).catch(() => {});
    this.#silent.close();
    rmSync(this.#folder, { recursive: true, force: true, maxRetries: 5 });
  }

  #dataDir(name: Name): string {
    return join(this.#folder, name);
  }
}

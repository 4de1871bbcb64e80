import { execFileSync } from "node:child_process";
import {
  appendFileSync,
  chmodSync,
  chownSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  readFileSync,
  rmSync,
} from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { createDatabase, type State, urlsAt } from "@gold-partner/dev";
import { findFreePort } from "@gold-partner/local-postgres";
import postgres, { type Sql } from "postgres";
import { until } from "../../testing/until.ts";
import type { ProofDatabase } from "../deployment.ts";
import { ACCOUNT, DebianPostgres, findProgram, makeServerFolder } from "../standby/debian_postgres.ts";

const SETTINGS = fileURLToPath(new URL("../../deploy/pgbackrest/pgbackrest.conf", import.meta.url));
const PARAMETERS = fileURLToPath(new URL("../../deploy/patroni/backup.yaml", import.meta.url));
/** Shorter than in production, so that the proof need not wait for a minute. */
const ARCHIVE_TIMEOUT_SECONDS = 2;

/**
 * A server of Debian's Postgres with a repository of pgBackRest, and the place for a second server that a restore
 * makes. Both run the settings of `deploy`, with the paths of this folder.
 */
export class BackedUpDatabase {
  readonly #folder: string;
  readonly #ports: readonly [number, number];
  #server: DebianPostgres;

  private constructor(folder: string, ports: readonly [number, number]) {
    this.#folder = folder;
    this.#ports = ports;
    this.#server = this.#serverIn("first", ports[0]);
  }

  static async start(): Promise<BackedUpDatabase> {
    const database = new BackedUpDatabase(makeServerFolder(), [await findFreePort(), await findFreePort()]);
    try {
      await database.#start();
      return database;
    } catch (error) {
      await database.stop();
      throw error;
    }
  }

  async #start(): Promise<void> {
    // The account of the servers may be unable to read the repository.
    const settings = join(this.#folder, "pgbackrest.conf");
    copyFileSync(SETTINGS, settings);
    chmodSync(settings, 0o644);
    for (const name of ["repository", "log", "lock", "spool"]) {
      mkdirSync(join(this.#folder, name));
      if (ACCOUNT.uid !== undefined) chownSync(join(this.#folder, name), ACCOUNT.uid, ACCOUNT.gid);
    }
    this.#server.initialize();
    // In the data folder, so that a restored server has the same settings.
    appendFileSync(
      join(this.#folder, "first", "postgresql.conf"),
      [
        "archive_mode = on",
        `archive_command = '${readArchiveCommand()}'`,
        `archive_timeout = ${ARCHIVE_TIMEOUT_SECONDS}`,
        `unix_socket_directories = '${this.#folder}'`,
        "max_connections = 200",
        "",
      ].join("\n"),
    );
    await this.#server.start();
    this.backRest("stanza-create");
  }

  /** Creates the database and its logins. The URLs name both servers, and programs use the one that runs. */
  async createDatabase(state: State): Promise<ProofDatabase> {
    await createDatabase(state, this);
    return { postgres: this, urls: await urlsAt(state, ...this.#ports) };
  }

  get port(): number {
    return this.#server.port;
  }

  get pid(): number {
    return this.#server.pid;
  }

  superuserUrl = (database = "postgres"): string => this.#server.url(database);

  /** Runs a command of pgBackRest on the present server's data folder. */
  backRest(...command: readonly string[]): string {
    return execFileSync(findBackRest(), ["--stanza=gold", ...command], {
      ...ACCOUNT,
      cwd: this.#folder,
      env: this.#environmentOf(this.#name),
      encoding: "utf8",
      stdio: ["ignore", "pipe", "inherit"],
    });
  }

  /** What a person on the machine of the restored server has: its data folder, and its URL. */
  get second(): { readonly data: string; readonly url: string } {
    return {
      data: join(this.#folder, "second"),
      url: `postgres://postgres@127.0.0.1:${this.#ports[1]}/postgres`,
    };
  }

  /**
   * Returns a script that runs pgBackRest or pg_ctl with its arguments, as the account of the servers. The script
   * works on the first data folder, unless PGBACKREST_PG1_PATH names another one. A server that it starts uses
   * the second port.
   */
  scriptOf(program: "pgbackrest" | "pg_ctl"): string {
    const { uid, gid } = ACCOUNT;
    const account = uid === undefined ? "" : `setpriv --reuid=${uid} --regid=${gid} --clear-groups`;
    const { PGBACKREST_PG1_PATH: path, ...others } = this.#environmentOf("first");
    const lines = [
      `cd '${this.#folder}'`,
      ...Object.entries({ ...others, PGPORT: `${this.#ports[1]}` }).map(([name, value]) =>
        `export ${name}='${value}'`
      ),
      `export PGBACKREST_PG1_PATH="\${PGBACKREST_PG1_PATH:-${path}}"`,
      `exec ${account} ${program === "pg_ctl" ? findProgram("pg_ctl") : findBackRest()} "$@"`,
    ];
    return `#!/bin/sh\n${lines.join("\n")}\n`;
  }

  /** The server ends at once, and its data folder is not used any more. */
  lose(): Promise<void> {
    return this.#server.crash();
  }

  /** Restores the books as of an instant into another data folder, and starts a server on another port. */
  async restore(at: string): Promise<void> {
    this.#server = this.#serverIn("second", this.#ports[1]);
    this.backRest("--type=time", `--target=${at}`, "--target-action=promote", "restore");
    await this.#server.start();
    await this.#untilPromoted();
  }

  /** Waits until the archive has the WAL of everything that is committed now. */
  untilArchived(): Promise<void> {
    return this.#ask(async (sql) => {
      const [now] = await sql`select pg_walfile_name(pg_current_wal_insert_lsn()) as file`;
      await until(async () => {
        const [archiver] = await sql`select last_archived_wal >= ${
          now!.file
        } as archived from pg_stat_archiver`;
        return archiver!.archived === true;
      });
    });
  }

  /** Waits for the end of the recovery. Before it, Postgres already answers reads, from earlier books. */
  #untilPromoted(): Promise<void> {
    return this.#ask((sql) =>
      until(async () => (await sql`select pg_is_in_recovery() as recovering`)[0]!.recovering === false)
    );
  }

  async #ask(use: (sql: Sql) => Promise<unknown>): Promise<void> {
    const sql = postgres(this.superuserUrl(), { max: 1, onnotice: () => {} });
    try {
      await use(sql);
    } finally {
      await sql.end({ timeout: 1 });
    }
  }

  async stop(): Promise<void> {
    await this.#server.crash();
    rmSync(this.#folder, { recursive: true, force: true, maxRetries: 5 });
  }

  get #name(): string {
    return this.port === this.#ports[0] ? "first" : "second";
  }

  #serverIn(name: string, port: number): DebianPostgres {
    return new DebianPostgres(join(this.#folder, name), port, {
      socketFolder: this.#folder,
      environment: this.#environmentOf(name),
    });
  }

  /** pgBackRest reads each of its options from such a variable, too. */
  #environmentOf(name: string): Record<string, string> {
    return {
      PATH: "/usr/bin:/bin",
      TZ: "UTC",
      PGBACKREST_CONFIG: join(this.#folder, "pgbackrest.conf"),
      PGBACKREST_REPO1_PATH: join(this.#folder, "repository"),
      PGBACKREST_LOG_PATH: join(this.#folder, "log"),
      PGBACKREST_LOCK_PATH: join(this.#folder, "lock"),
      PGBACKREST_SPOOL_PATH: join(this.#folder, "spool"),
      PGBACKREST_LOG_LEVEL_CONSOLE: "warn",
      PGBACKREST_PG1_PATH: join(this.#folder, name),
      PGBACKREST_PG1_PORT: `${name === "first" ? this.#ports[0] : this.#ports[1]}`,
      PGBACKREST_PG1_SOCKET_PATH: this.#folder,
      PGBACKREST_PG1_USER: "postgres",
    };
  }
}

function findBackRest(): string {
  const program = process.env.PGBACKREST ?? "/usr/bin/pgbackrest";
  if (existsSync(program)) return program;
  throw new Error(`${program} does not exist: install pgbackrest, or set PGBACKREST to its path.`);
}

function readArchiveCommand(): string {
  const [, command] = /^ *archive_command: (.+)$/m.exec(readFileSync(PARAMETERS, "utf8")) ?? [];
  if (command === undefined) throw new Error(`${PARAMETERS} has no archive_command.`);
  return command;
}

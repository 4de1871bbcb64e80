import { appendFileSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { createDatabase, type State, urlsAt } from "@gold-partner/dev";
import { findFreePort } from "@gold-partner/dev/postgres";
import postgres, { type Sql } from "postgres";
import { until } from "../../testing/until.ts";
import type { ProofDatabase } from "../stage/deployment.ts";
import { ACCOUNT, DebianPostgres, findProgram, makeServerFolder } from "../../testing/debian_postgres.ts";
import { findBackRest, Repository } from "./repository.ts";

const PARAMETERS = fileURLToPath(new URL("../../../deploy/patroni/backup.yaml", import.meta.url));
/** Shorter than in production, so that the proof need not wait for a minute. */
const ARCHIVE_TIMEOUT_SECONDS = 2;

/**
 * A server of Debian's Postgres with a repository of pgBackRest, and the data folder of a second server, into
 * which restore() restores. Both use the settings of `deploy`, with the paths of this folder.
 */
export class BackedUpDatabase {
  readonly #folder: string;
  readonly #repository: Repository;
  readonly #ports: readonly [number, number, number];
  #server: DebianPostgres;

  private constructor(folder: string, ports: readonly [number, number, number]) {
    this.#folder = folder;
    this.#repository = new Repository(folder);
    this.#ports = ports;
    this.#server = this.#serverIn("first", ports[0]);
  }

  static async start(): Promise<BackedUpDatabase> {
    const database = new BackedUpDatabase(makeServerFolder(), [
      await findFreePort(),
      await findFreePort(),
      await findFreePort(),
    ]);
    try {
      await database.#start();
      return database;
    } catch (error) {
      await database.stop();
      throw error;
    }
  }

  async #start(): Promise<void> {
    this.#server.initialize();
    // Backed up with the data folder, so that a restored server has the same settings.
    appendFileSync(
      join(this.#folder, "first", "postgresql.conf"),
      [
        "archive_mode = always",
        `archive_command = '${readArchiveCommand()}'`,
        `archive_timeout = ${ARCHIVE_TIMEOUT_SECONDS}`,
        `unix_socket_directories = '${this.#folder}'`,
        "max_connections = 200",
        // compareBooks() needs the commit time of each row.
        "track_commit_timestamp = on",
        "",
      ].join("\n"),
    );
    await this.#server.start();
    this.backRest("stanza-create");
  }

  /** Creates the database and its logins. The URLs name both servers, and programs use the one that runs. */
  async createDatabase(state: State): Promise<ProofDatabase> {
    await createDatabase(state, this);
    return { postgres: this, urls: await urlsAt(state, this.#ports[0], this.#ports[1]) };
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
    return this.#repository.run({ name: this.#name, port: this.port }, ...command);
  }

  /** The data folder and the URL of the restored server, for a person on its machine. */
  get second(): { readonly data: string; readonly url: string } {
    return {
      data: join(this.#folder, "second"),
      url: DebianPostgres.urlAt(this.#ports[1], "postgres"),
    };
  }

  /** The folders and the URL of a copy, for a person who restores it on another host. */
  get drill(): {
    readonly folder: string;
    readonly data: string;
    readonly url: string;
    readonly port: number;
  } {
    const [folder, port] = [join(this.#folder, "drill"), this.#ports[2]];
    return { folder, data: `${folder}_data`, url: DebianPostgres.urlAt(port, "postgres"), port };
  }

  /** The folder of the repository. */
  get repository(): string {
    return this.#repository.folder;
  }

  /**
   * Returns a script that runs pgBackRest or pg_ctl with its arguments, as the account of the servers. The
   * script uses the first data folder, unless PGBACKREST_PG1_PATH names another one. A server that it starts
   * uses the second port. On another host, the script sets no option of pgBackRest, and a server uses the
   * third port.
   */
  scriptOf(
    program: "pgbackrest" | "pg_ctl",
    host: "database server" | "another host" = "database server",
  ): string {
    const { uid, gid } = ACCOUNT;
    const account = uid === undefined ? "" : `setpriv --reuid=${uid} --regid=${gid} --clear-groups`;
    const [first, second, third] = this.#ports;
    const { PGBACKREST_PG1_PATH: path, ...settings } = this.#repository.environmentOf({
      name: "first",
      port: first,
    });
    const isServer = host === "database server";
    const variables = isServer ? { ...settings, PGPORT: second } : { PGPORT: third };
    const lines = [
      `cd '${this.#folder}'`,
      ...Object.entries(variables).map(([name, value]) => `export ${name}='${value}'`),
      ...(isServer ? [`export PGBACKREST_PG1_PATH="\${PGBACKREST_PG1_PATH:-${path}}"`] : []),
      `exec ${account} ${program === "pg_ctl" ? findProgram("pg_ctl") : findBackRest()} "$@"`,
    ];
    return `#!/bin/sh\n${lines.join("\n")}\n`;
  }

  /** Crashes the server. From then on, nothing uses its data folder. */
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

  /** Waits until the archive has the WAL of every present commit. */
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

  /** Waits for the end of the recovery. Before it ends, Postgres answers reads from earlier books. */
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
      environment: this.#repository.environmentOf({ name, port }),
    });
  }
}

/** Returns the command on one line, as YAML folds it. */
function readArchiveCommand(): string {
  const [, command] = /^ *archive_command: >-\n((?: {6}.+\n)+)/m.exec(readFileSync(PARAMETERS, "utf8")) ?? [];
  if (command === undefined) throw new Error(`${PARAMETERS} has no archive_command.`);
  return command.trim().replace(/\n +/g, " ");
}

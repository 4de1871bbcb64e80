import { mkdtempSync, readdirSync, realpathSync, rmSync, statfsSync } from "node:fs";
import { randomUUID } from "node:crypto";
import { tmpdir } from "node:os";
import { join } from "node:path";
import postgres, { type Sql } from "postgres";
import { removeFolder } from "./remove_folder.ts";
import { findPostmaster, processLives, stopPostmaster } from "./postmaster.ts";
import { startPostgres } from "./start_postgres.ts";

/** A database that is created once on a server and then copied. A copy takes milliseconds. */
export interface DatabaseTemplate {
  /**
   * Identifies the template's contents, for example by a hash of the migrations. It may contain lower-case
   * letters, digits and `_`.
   */
  name: string;
  /** Fills the empty database at `url`. */
  prepare(url: string): Promise<void>;
}

export interface TestPostgres {
  superuserUrl(database?: string): string;
  /** Creates a database with a new name, empty or as a copy of the template, and returns its URL. */
  createDatabase(template?: DatabaseTemplate): Promise<string>;
  /** Removes the throw-away server, or the databases that were created on the given server. */
  stop(): Promise<void>;
}

const PREFIX = "gold-test-postgres-";

/**
 * Returns a Postgres for one test file. If TEST_POSTGRES_URL (a superuser's URL) is set, that server is used:
 * a run can then be repeated on another version, and test files share templates. Otherwise a throw-away
 * server is started.
 */
export async function testPostgres(): Promise<TestPostgres> {
  const given = process.env.TEST_POSTGRES_URL;
  if (given) return new TestServer((database) => withDatabase(given, database), dropDatabases);
  const folder = process.env.TMPDIR === undefined && hasRoom(MEMORY) ? MEMORY : realpathSync(tmpdir());
  await removeAbandoned(folder);
  const dataDir = mkdtempSync(join(folder, `${PREFIX}${process.pid}-`));
  // Allow many connections. The test runner starts this server once for all test files, and each of them may
  // start several services.
  const server = await startPostgres({ dataDir, settings: { max_connections: "500" } });
  return new TestServer(server.superuserUrl, async () => {
    await stopPostmaster(join(dataDir, "cluster"), server.pid, false);
    rmSync(dataDir, { recursive: true, force: true });
  });
}

/** On Linux, a file system in memory. */
const MEMORY = "/dev/shm";
/** Several times the space that a run of all tests uses at one time. */
const ROOM_BYTES = 4 * 2 ** 30;

/**
 * Test databases are stored in memory if there is enough room and TMPDIR is not set. On a disk, a test spends
 * a third of its time on creating databases and waiting for commits.
 */
function hasRoom(folder: string): boolean {
  try {
    const { bavail, bsize } = statfsSync(folder);
    return bavail * bsize >= ROOM_BYTES;
  } catch {
    return false;
  }
}

class TestServer implements TestPostgres {
  readonly superuserUrl: (database?: string) => string;
  readonly #cleanUp: (sql: Sql, created: string[]) => Promise<void>;
  /**
   * A single connection. An advisory lock belongs to its connection, so locking and unlocking must share one.
   */
  readonly #sql: Sql;
  readonly #created: string[] = [];
  readonly #templates = new Map<string, Promise<void>>();

  constructor(
    superuserUrl: (database?: string) => string,
    cleanUp: (sql: Sql, created: string[]) => Promise<void>,
  ) {
    this.superuserUrl = superuserUrl;
    this.#cleanUp = cleanUp;
    this.#sql = postgres(superuserUrl(), { max: 1, onnotice: () => {} });
  }

  async createDatabase(template?: DatabaseTemplate): Promise<string> {
    if (template) await this.#prepareOnce(template);
    const name = `test_${randomUUID().replaceAll("-", "")}`;
    await this.#sql`create database ${this.#sql(name)} template ${this.#sql(template?.name ?? "template0")}`;
    this.#created.push(name);
    return this.superuserUrl(name);
  }

  async stop(): Promise<void> {
    await this.#cleanUp(this.#sql, this.#created);
    await this.#sql.end({ timeout: 1 });
  }

  #prepareOnce(template: DatabaseTemplate): Promise<void> {
    const { name } = template;
    if (!/^[a-z][a-z0-9_]{0,62}$/.test(name)) {
      throw new RangeError(`The template name ${JSON.stringify(name)} must match [a-z][a-z0-9_]{0,62}.`);
    }
    const prepared = this.#templates.get(name) ?? this.#prepare(template);
    this.#templates.set(name, prepared);
    return prepared;
  }

  /**
   * Prepares the template once. The lock keeps other test processes out, and is_template marks a template as
   * complete.
   */
  async #prepare(template: DatabaseTemplate): Promise<void> {
    const sql = this.#sql;
    const { name } = template;
    await sql`select pg_advisory_lock(hashtext(${name}))`;
    try {
      const [found] = await sql`select datistemplate from pg_database where datname = ${name}`;
      if (found?.datistemplate) return;
      if (found) await sql`drop database ${sql(name)} with (force)`;
      await sql`create database ${sql(name)} template template0`;
      await template.prepare(this.superuserUrl(name));
      // Allow no connections to the template, because Postgres cannot copy a database while anyone is
      // connected to it.
      await sql`alter database ${sql(name)} with is_template true allow_connections false`;
    } finally {
      await sql`select pg_advisory_unlock(hashtext(${name}))`;
    }
  }
}

function withDatabase(url: string, database: string | undefined): string {
  const changed = new URL(url);
  if (database !== undefined) changed.pathname = `/${encodeURIComponent(database)}`;
  return changed.href;
}

async function dropDatabases(sql: Sql, created: string[]): Promise<void> {
  for (const name of created) await sql`drop database if exists ${sql(name)} with (force)`;
}

/** Stops and removes the servers of test processes that were killed before they could do so. */
async function removeAbandoned(folder: string): Promise<void> {
  for (const name of readdirSync(folder)) {
    if (!name.startsWith(PREFIX) || processLives(Number.parseInt(name.slice(PREFIX.length), 10))) continue;
    const dataDir = join(folder, name);
    const clusterDir = join(dataDir, "cluster");
    try {
      const left = findPostmaster(clusterDir);
      if (left) await stopPostmaster(clusterDir, left.pid, false);
      await removeFolder(dataDir);
    } catch {
      // Ignore a folder that belongs to another user, or that another test process is removing too.
    }
  }
}

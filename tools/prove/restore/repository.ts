import { execFileSync } from "node:child_process";
import { chmodSync, chownSync, existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import process from "node:process";
import { fileURLToPath } from "node:url";
import { ACCOUNT } from "../../testing/debian_postgres.ts";

const SETTINGS = fileURLToPath(new URL("../../../deploy/pgbackrest/pgbackrest.conf", import.meta.url));

/** The server on which a command of pgBackRest works. */
interface Server {
  /** The name of its data folder. */
  readonly name: string;
  readonly port: number;
}

/**
 * A repository of pgBackRest in a folder, with the settings of deploy/pgbackrest. The data folders of the
 * servers and their sockets are in the same folder.
 */
export class Repository {
  readonly folder: string;
  /** The folder of the servers. */
  readonly #site: string;

  constructor(site: string) {
    this.#site = site;
    this.folder = join(site, "repository");
    // The account of the servers may be unable to read deploy/.
    writeFileSync(join(site, "pgbackrest.conf"), readFileSync(SETTINGS));
    chmodSync(join(site, "pgbackrest.conf"), 0o644);
    for (const name of ["repository", "log", "lock", "spool"]) {
      mkdirSync(join(site, name));
      if (ACCOUNT.uid !== undefined) chownSync(join(site, name), ACCOUNT.uid, ACCOUNT.gid);
    }
  }

  /** Runs a command of pgBackRest, as on the machine of this server. */
  run(server: Server, ...command: readonly string[]): string {
    return execFileSync(findBackRest(), ["--stanza=gold", ...command], {
      ...ACCOUNT,
      cwd: this.#site,
      env: this.environmentOf(server),
      encoding: "utf8",
      stdio: ["ignore", "pipe", "inherit"],
    });
  }

  /** The options of pgBackRest for this server, as environment variables. */
  environmentOf({ name, port }: Server): Record<string, string> {
    return {
      PATH: "/usr/bin:/bin",
      TZ: "UTC",
      PGBACKREST_CONFIG: join(this.#site, "pgbackrest.conf"),
      PGBACKREST_REPO1_PATH: this.folder,
      PGBACKREST_LOG_PATH: join(this.#site, "log"),
      // Each machine has its own locks.
      PGBACKREST_LOCK_PATH: join(this.#site, "lock", name),
      PGBACKREST_SPOOL_PATH: join(this.#site, "spool"),
      PGBACKREST_LOG_LEVEL_CONSOLE: "warn",
      PGBACKREST_PG1_PATH: join(this.#site, name),
      PGBACKREST_PG1_PORT: `${port}`,
      PGBACKREST_PG1_SOCKET_PATH: this.#site,
      PGBACKREST_PG1_USER: "postgres",
    };
  }
}

export function findBackRest(): string {
  const program = process.env.PGBACKREST ?? "/usr/bin/pgbackrest";
  if (existsSync(program)) return program;
  throw new Error(`${program} does not exist: install pgbackrest, or set PGBACKREST to its path.`);
}

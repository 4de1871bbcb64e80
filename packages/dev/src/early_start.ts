import { createHash } from "node:crypto";
import { existsSync, readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { type Database, launchPostgres, urlsAt } from "./database.ts";
import { findFreePort, waitUntil } from "./postgres/mod.ts";
import { type Service, startService } from "./service.ts";
import type { State } from "./state.ts";
import type { Watchdog } from "./watchdog.ts";

/** Postgres and the service, started early. They may not be ready yet. */
export interface EarlyParts {
  readonly urls: Database["urls"];
  readonly port: number;
  readonly postgres: ReturnType<typeof launchPostgres>;
  readonly service: Service;
}

const PACKAGES = fileURLToPath(new URL("../../", import.meta.url));
/** If a file in these folders changes, the next start must migrate the database in the state folder again. */
const SOURCES = [
  ...["server/migrations", "server/src", "operator/src", "dev/src"],
  ...["canonical/src", "database/src", "jws/src", "protocol/src"],
];
/**
 * This file records that the database is migrated. It is beside the cluster, so that both are removed
 * together.
 */
const migratedFile = (state: State): string => state.path("postgres", "migrated");
const LAUNCH_MS = 5000;
/** Every start writes this file again, because it contains the current port of Postgres. */
const REWRITTEN_KEY = "migration_database_url";

/**
 * Starts Postgres and the service early, so that both load while this process loads its other modules. Call
 * it only if isMigrated() is true. Returns undefined if an earlier, killed start left the pid file of
 * Postgres; build() then starts the parts one after another.
 */
export async function startEarly(
  state: State,
  baseUrl: string,
  gatewayPort: number,
  watchdog: Watchdog,
  lanes?: number,
): Promise<EarlyParts | undefined> {
  const pidFile = state.path("postgres", "cluster", "postmaster.pid");
  if (existsSync(pidFile)) return undefined;
  const port = await findFreePort(gatewayPort);
  const urls = await urlsAt(state, port);
  let failed = false;
  const server = launchPostgres(state, watchdog, { port });
  // End only the wait below. build() awaits the same promise and handles the failure.
  server.catch(() => failed = true);
  await waitUntil(() => failed || isListening(pidFile), LAUNCH_MS);
  return { urls, port, postgres: server, service: startService(state, urls, baseUrl, watchdog, lanes) };
}

/**
 * True when Postgres accepts connections, even if it is still recovering. Postgres writes its status into the
 * pid file after it has opened its sockets. A service that connects earlier would end with an error.
 */
function isListening(pidFile: string): boolean {
  return existsSync(pidFile) && /^(starting|ready)/m.test(readFileSync(pidFile, "utf8"));
}

/** True when the migration would change nothing. */
export function isMigrated(state: State, baseUrl: string): boolean {
  try {
    return readFileSync(migratedFile(state), "utf8") === fingerprint(state, baseUrl);
  } catch {
    return false;
  }
}

export async function markMigrated(state: State, baseUrl: string): Promise<void> {
  await state.writePrivate(migratedFile(state), fingerprint(state, baseUrl));
}

/**
 * Hashes the base URL and the files' sizes and modification times, not their contents. If only a time
 * changed, the next start migrates the database once more without need.
 */
function fingerprint(state: State, baseUrl: string): string {
  const hash = createHash("sha256").update(baseUrl);
  for (const folder of [...SOURCES.map((source) => join(PACKAGES, source)), state.path("keys")]) {
    for (const entry of readdirSync(folder, { recursive: true, withFileTypes: true })) {
      if (!entry.isFile() || entry.name === REWRITTEN_KEY) continue;
      const file = join(entry.parentPath, entry.name);
      const { size, mtimeMs } = statSync(file);
      hash.update(`\n${file} ${size} ${mtimeMs}`);
    }
  }
  return hash.digest("hex");
}

import { createHash } from "node:crypto";
import { existsSync, readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { type Database, urlsAt, wakePostgres } from "./database.ts";
import { findFreePort } from "./postgres/mod.ts";
import { waitUntil } from "./postgres/postmaster.ts";
import { type Service, startService } from "./service.ts";
import type { State } from "./state.ts";
import type { Watchdog } from "./watchdog.ts";

/** What was started beforehand. Nobody has seen it answer yet. */
export interface Woken {
  readonly urls: Database["urls"];
  readonly port: number;
  readonly postgres: ReturnType<typeof wakePostgres>;
  readonly service: Service;
}

const PACKAGES = fileURLToPath(new URL("../../", import.meta.url));
/** What the tables, the functions and the logins in a state are made from. */
const SOURCES = ["server/migrations", "server/src", "protocol/src", "operator/src", "dev/src"];
/** Beside the cluster: with it the mark is gone, too. */
const settledFile = (state: State): string => state.path("postgres", "settled");
const LAUNCH_MS = 5000;
/** Names the migration's login by the port of the day. */
const WRITTEN_EACH_TIME = "migration_database_url";

/**
 * Postgres and the service of a state that is settled: each loads in a process of its own, while this one loads the rest. Where an
 * earlier start was killed, nothing: then they come one after another.
 */
export async function wake(
  state: State,
  baseUrl: string,
  gatewayPort: number,
  watchdog: Watchdog,
): Promise<Woken | undefined> {
  const pidFile = state.path("postgres", "cluster", "postmaster.pid");
  if (existsSync(pidFile)) return undefined;
  const port = await findFreePort(gatewayPort);
  const urls = await urlsAt(state, port);
  let failed = false;
  const server = wakePostgres(state, watchdog, { port });
  // Whoever awaits it hears what failed.
  server.catch(() => failed = true);
  await waitUntil(() => failed || existsSync(pidFile), LAUNCH_MS);
  return { urls, port, postgres: server, service: startService(state, urls, baseUrl, watchdog) };
}

/** True when the migration would change nothing. */
export function isSettled(state: State, baseUrl: string): boolean {
  try {
    return readFileSync(settledFile(state), "utf8") === fingerprint(state, baseUrl);
  } catch {
    return false;
  }
}

export async function markSettled(state: State, baseUrl: string): Promise<void> {
  await state.writePrivate(settledFile(state), fingerprint(state, baseUrl));
}

/** Sizes and times say enough: where they mislead, everything is settled once more. */
function fingerprint(state: State, baseUrl: string): string {
  const hash = createHash("sha256").update(baseUrl);
  for (const folder of [...SOURCES.map((source) => join(PACKAGES, source)), state.path("keys")]) {
    for (const entry of readdirSync(folder, { recursive: true, withFileTypes: true })) {
      if (!entry.isFile() || entry.name === WRITTEN_EACH_TIME) continue;
      const file = join(entry.parentPath, entry.name);
      const { size, mtimeMs } = statSync(file);
      hash.update(`\n${file} ${size} ${mtimeMs}`);
    }
  }
  return hash.digest("hex");
}

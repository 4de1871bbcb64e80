// Runs a temporary server of Postgres 15, as Debian packages it. This is the older of the two versions of
// Postgres on which the suites run.
import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { chownSync, existsSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import process from "node:process";
import { setTimeout as sleep } from "node:timers/promises";
import { findFreePort } from "@gold-partner/dev/postgres";
import postgres from "postgres";

const VERSION = 15;
const NOBODY = { uid: 65534, gid: 65534 };
const READY_MS = 20_000;
const POLL_MS = 50;

export class MissingPart extends Error {}

type UrlOf = (login: string, database: string) => string;

/** Returns the folder of Postgres 15's programs: PG_BIN if it is set, otherwise Debian's folder. */
export function findPrograms(env: Record<string, string | undefined> = process.env): string {
  const folder = env["PG_BIN"] ?? `/usr/lib/postgresql/${VERSION}/bin`;
  const missing = ["initdb", "postgres"].find((name) => !existsSync(join(folder, name)));
  if (missing) {
    throw new MissingPart(
      `${missing} was not found in ${folder}. Install postgresql-${VERSION}, or set PG_BIN to its folder of programs.`,
    );
  }
  const version = execFileSync(join(folder, "postgres"), ["--version"], { encoding: "utf8" }).trim();
  if (!version.includes(` ${VERSION}.`)) {
    throw new MissingPart(
      `${folder} has "${version}", but version ${VERSION} is needed. Set PG_BIN to its folder of programs.`,
    );
  }
  return folder;
}

/** Starts a server, calls `use` with it, then stops it and deletes its data. */
export async function withPostgres15<T>(
  programs: string,
  use: (urlOf: UrlOf) => Promise<T>,
): Promise<T> {
  const folder = mkdtempSync(join(tmpdir(), "gold-postgres-15-"));
  // Switch the user, because Postgres refuses to run as root.
  const account = process.getuid?.() === 0 ? NOBODY : {};
  if (account === NOBODY) chownSync(folder, NOBODY.uid, NOBODY.gid);
  const options = { ...account, cwd: folder, env: { LC_ALL: "C", TZ: "UTC" } };
  const [password, port] = [randomBytes(24).toString("hex"), await findFreePort()];
  const urlOf: UrlOf = (login, database) => `postgres://${login}:${password}@127.0.0.1:${port}/${database}`;
  let server: ChildProcess | undefined;
  try {
    const passwordFile = join(folder, "password");
    writeFileSync(passwordFile, password);
    const data = join(folder, "data");
    const made = [
      "-U",
      "postgres",
      "-A",
      "scram-sha-256",
      `--pwfile=${passwordFile}`,
      "-E",
      "UTF8",
      "--no-sync",
    ];
    execFileSync(join(programs, "initdb"), ["-D", data, ...made], { ...options, stdio: "pipe" });
    const settings = ["listen_addresses=127.0.0.1", "max_connections=200"].flatMap((
      setting,
    ) => ["-c", setting]);
    server = spawn(join(programs, "postgres"), ["-D", data, "-p", `${port}`, "-k", "", ...settings], {
      ...options,
      stdio: "ignore",
    });
    await awaitReady(urlOf("postgres", "postgres"), server);
    return await use(urlOf);
  } finally {
    if (server && server.exitCode === null && server.kill("SIGINT")) await once(server, "exit");
    rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
  }
}

async function awaitReady(url: string, server: ChildProcess): Promise<void> {
  const sql = postgres(url, { max: 1, onnotice: () => {}, connect_timeout: 2, backoff: () => 0.1 });
  const deadline = performance.now() + READY_MS;
  try {
    while (!await sql`select 1`.then(() => true, () => false)) {
      if (server.exitCode !== null || performance.now() > deadline) {
        throw new Error(`Postgres 15 exited, or was not ready within ${READY_MS / 1000} s.`);
      }
      await sleep(POLL_MS);
    }
  } finally {
    await sql.end({ timeout: 1 });
  }
}

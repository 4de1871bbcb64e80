import { randomUUID } from "node:crypto";
import { open, readFile, rename } from "node:fs/promises";
import { setTimeout as sleep } from "node:timers/promises";
import type { Log } from "../operations/log.ts";
import type { Query } from "./query.ts";

/** The error code for a file of heads that exists but cannot be read or has another format. */
export const HEADS_UNREADABLE = "HEADS_UNREADABLE";

/**
 * The newest link of one hash chain at some time, an external checkpoint of it. The operators' audit trail
 * has the client_id `audit`.
 */
export interface Head {
  readonly client_id: string;
  readonly sequence: string;
  readonly head: string;
}

/** The file. `items` has the form that `gold ledger heads --out` writes. */
interface Kept {
  readonly epoch: number;
  /** When the database had these heads, by its clock. */
  readonly at: string;
  readonly items: readonly Head[];
}

interface Loss {
  readonly client_id: string;
  readonly first: string;
  readonly last: string;
  /** The instant of the newest record that is left. */
  readonly ends_at: string | null;
}

interface Reply {
  readonly epoch: number;
  readonly at: string;
  readonly heads: readonly Head[];
  readonly losses: readonly Loss[];
}

export interface HeadKeeper {
  /**
   * Compares the file with the database. Returns false if the database lacks a head of the file and nobody
   * has accepted this loss. Otherwise writes the newest heads to the file and returns true. If the disk is
   * slow, returns before the file is written. Throws if the file cannot be read, because nothing can be
   * compared then.
   */
  compareAndWrite(): Promise<boolean>;
  /** Seconds since this process last wrote the file, or since its start if it has not written yet. */
  ageSeconds(): number;
}

/** How long a comparison waits for the disk of the file. Writes of partners wait for the comparison. */
const WRITE_WAIT_MS = 500;

interface KeeperParts {
  readonly file: string;
  readonly sql: Query;
  readonly monotonicMs: () => number;
  readonly log: Log;
}

/**
 * Keeps the heads of all hash chains in a file outside the database. Processes can share the file.
 * Throws if the file exists and cannot be read, because nothing could be compared then.
 */
export async function openHeadKeeper({ file, sql, monotonicMs, log }: KeeperParts): Promise<HeadKeeper> {
  let writtenMs = monotonicMs();
  let reported = "";
  let canWrite = true;
  let writing: Promise<void> | undefined;
  await readKept(file);

  const report = (at: string, losses: readonly Loss[]) => {
    const found = JSON.stringify(losses);
    if (found === reported) return;
    reported = found;
    for (const { client_id, first, last, ends_at } of losses) {
      log("error", "records are missing", {
        client_id,
        records: `${first} to ${last}`,
        kept_at: at,
        ...(ends_at ? { books_end_at: ends_at } : {}),
      });
    }
  };
  // Continue if the file cannot be written, because partners can trade without it. The metric of the file's
  // age fires an alarm.
  const onFailure = (error: unknown) => {
    if (canWrite) log("error", "the file of heads cannot be written", { error_name: codeOf(error) });
    canWrite = false;
  };
  const write = (kept: Kept) =>
    replaceFile(file, `${JSON.stringify(kept)}\n`).then(() => {
      writtenMs = monotonicMs();
      canWrite = true;
    }, onFailure);
  return {
    async compareAndWrite() {
      const kept = await readKept(file);
      if (!kept && canWrite) log("warn", "a new file of heads begins", { address: file });
      const [row] = await sql<{ reply: Reply }[]>`
        select gold.keep_heads(${JSON.stringify(kept?.items ?? [])}::text::jsonb, ${
        kept?.epoch ?? 1
      }::int) as reply`;
      const { epoch, at, heads, losses } = row!.reply;
      report(kept?.at ?? at, losses);
      if (losses.length > 0) return false;
      const written = writing ??= write({ epoch, at, items: heads }).finally(() => writing = undefined);
      const late = sleep(WRITE_WAIT_MS, { code: "ETIMEDOUT" }, { ref: false });
      const failure = await Promise.race([written, late]);
      if (failure) onFailure(failure);
      return true;
    },
    ageSeconds: () => (monotonicMs() - writtenMs) / 1000,
  };
}

/** Returns undefined if there is no file yet. */
async function readKept(file: string): Promise<Kept | undefined> {
  let text: string;
  try {
    text = await readFile(file, "utf8");
  } catch (error) {
    if (codeOf(error) === "ENOENT") return undefined;
    throw unreadable(`${file} cannot be read (${codeOf(error)}): give the service access to it.`);
  }
  try {
    const kept = JSON.parse(text) as Kept;
    const { epoch, at, items } = kept;
    if (Number.isInteger(epoch) && typeof at === "string" && Array.isArray(items) && items.every(isHead)) {
      return kept;
    }
  } catch {
    // Refused below.
  }
  throw unreadable(`${file} has another format than this service writes: restore the file from its backup.`);
}

/** Whether the database can compare this head. A head without a sequence or a hash would count as found. */
export function isHead(value: unknown): value is Head {
  const { client_id, sequence, head } = (value ?? {}) as Record<string, unknown>;
  return typeof client_id === "string" && /^[1-9][0-9]{0,17}$/.test(`${sequence}`) &&
    typeof head === "string" && /^[0-9a-f]{64}$/.test(head);
}

const unreadable = (message: string): Error => Object.assign(new Error(message), { code: HEADS_UNREADABLE });

/** A name of this process's own. Processes in different containers can have the same process id. */
const DRAFT = randomUUID();

/** Replaces the file, and returns when the new one is on the disk. A crash leaves the old or the new file. */
async function replaceFile(file: string, text: string): Promise<void> {
  const next = `${file}.${DRAFT}`;
  const handle = await open(next, "w", 0o600);
  try {
    await handle.writeFile(text);
    await handle.sync();
  } finally {
    await handle.close();
  }
  await rename(next, file);
}

const codeOf = (error: unknown): string => `${(error as { code?: unknown }).code}`;

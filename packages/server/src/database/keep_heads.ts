import { open, readFile, rename } from "node:fs/promises";
import type { Log } from "../operations/log.ts";
import type { Query } from "./query.ts";

/** The newest link of one hash chain. The operators' audit trail has the client_id `audit`. */
interface Head {
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
   * Compares the file with the database. Then writes the newest heads to the file, unless the database lacks a
   * kept head and nobody has accepted this loss. Returns whether the database has everything.
   */
  isWhole(): Promise<boolean>;
  /** The age of the file in seconds. */
  ageSeconds(): number;
}

interface KeeperParts {
  readonly file: string;
  readonly sql: Query;
  readonly monotonicMs: () => number;
  readonly log: Log;
}

/**
 * Keeps the heads of all hash chains in a file outside the database. Processes on one machine share the file.
 * Throws if the file exists and cannot be read, because nothing could be compared then.
 */
export async function openHeadKeeper({ file, sql, monotonicMs, log }: KeeperParts): Promise<HeadKeeper> {
  let writtenMs = monotonicMs();
  let reported = "";
  let canWrite = true;
  if (!await readKept(file)) log("warn", "a new file of heads begins", { address: file });

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
  const write = async (kept: Kept) => {
    try {
      await replaceFile(file, `${JSON.stringify(kept)}\n`);
      writtenMs = monotonicMs();
      canWrite = true;
    } catch (error) {
      // Go on, because partners can trade without this file. The metric of its age fires an alarm.
      if (canWrite) log("error", "the file of heads cannot be written", { error_name: codeOf(error) });
      canWrite = false;
    }
  };
  return {
    async isWhole() {
      const kept = await readKept(file);
      const [row] = await sql<{ reply: Reply }[]>`
        select gold.keep_heads(${JSON.stringify(kept?.items ?? [])}::text::jsonb, ${
        kept?.epoch ?? 1
      }::int) as reply`;
      const { epoch, at, heads, losses } = row!.reply;
      report(kept?.at ?? at, losses);
      if (losses.length > 0) return false;
      await write({ epoch, at, items: heads });
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
    throw new Error(`${file} cannot be read (${codeOf(error)}): give the service access to it.`);
  }
  try {
    const kept = JSON.parse(text) as Kept;
    if (Number.isInteger(kept.epoch) && typeof kept.at === "string" && Array.isArray(kept.items)) return kept;
  } catch {
    // Refused below.
  }
  throw new Error(`${file} has another format than this service writes: restore the file from its backup.`);
}

/** Replaces the file, and returns when the new one is on the disk. A crash leaves the old or the new file. */
async function replaceFile(file: string, text: string): Promise<void> {
  const next = `${file}.${process.pid}`;
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

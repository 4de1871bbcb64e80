import { fork } from "node:child_process";
import { once } from "node:events";
import process from "node:process";
import type { RangeResult, SharedBooks } from "./books/check_range.ts";
import type { Range } from "./books/range.ts";
import type { Registry } from "./registry/keys.ts";
import type { Note } from "./registry/notes.ts";

/** The first message. It is copied, so it must not contain functions or instances of the audit's classes. */
export interface ProcessData {
  readonly url: string;
  readonly snapshot: string;
  readonly notes: readonly Note[];
  /** Prices.values. */
  readonly history: number[];
  readonly registry: Pick<Registry, "deployment" | "signing_key">;
  readonly signatures: number;
  readonly shared: Omit<SharedBooks, "sql" | "notes" | "prices" | "requests">;
}

interface Options {
  readonly url: string;
  readonly registry: Registry;
  /** The share of stored signatures that are verified. */
  readonly signatures?: number;
}

/** Starts a process that checks ranges in the same snapshot, and ends it after `use`. */
export async function withSecondProcess(
  { sql, notes, prices, requests: _, ...shared }: SharedBooks,
  { url, registry, signatures = 1 }: Options,
  use: (check: (range: Range) => Promise<RangeResult>) => Promise<unknown>,
): Promise<void> {
  const [exported] = await sql.unsafe("select pg_catalog.pg_export_snapshot() as id");
  const child = fork(new URL("./second_process_main.ts", import.meta.url), [], {
    // Maps and bigints cannot be sent as JSON.
    serialization: "advanced",
    execArgv: runtimeArguments(),
    // Node looks for tsx from here.
    cwd: import.meta.dirname,
  });
  const ended = once(child, "exit");
  const endedEarly = ended.then(() => {
    throw new Error("The second process of the audit ended early; its error is above.");
  });
  // The next check reports the error. Without this handler, the error would end the process first.
  endedEarly.catch(() => {});
  try {
    const { deployment = [], signing_key = [] } = registry;
    const data: ProcessData = {
      url,
      snapshot: exported!.id,
      notes: notes.all,
      history: prices.values,
      // Rows only: the arrays of the database client have members that cannot be sent.
      registry: { deployment: [...deployment], signing_key: [...signing_key] },
      signatures,
      shared,
    };
    child.send(data);
    await use(async (range) => {
      const reply = once(child, "message");
      child.send(range);
      const [result] = await Promise.race([reply, endedEarly]);
      return result;
    });
  } finally {
    if (child.connected) child.disconnect();
    await ended;
  }
}

/** Node 22.18 and newer run TypeScript without a loader. Older versions need tsx. */
function runtimeArguments(): string[] {
  if ("Deno" in globalThis) return ["run", "--no-check", "-A"];
  const { typescript } = process.features as { readonly typescript?: string | false };
  return typescript ? [] : ["--import", "tsx"];
}

import { isAbsolute } from "node:path";
import { openHeadKeeper } from "@gold-partner/server";
import type { Invocation } from "./command.ts";
import { EXIT, Failure, usage } from "./failure.ts";

/**
 * Refuses while the database lacks a record of HEADS_FILE, the person's own file of heads. After a restore, a
 * withdrawal that the bank has already paid can look unpaid. In production, a person must say HEADS_FILE=off
 * to do without the file. Returns a function that writes the newest heads to the file.
 */
export async function requireKeptRecords(
  { env, db, progress }: Pick<Invocation, "env" | "db" | "progress">,
): Promise<() => Promise<unknown>> {
  const { sql, deployment } = await db();
  const file = env.HEADS_FILE ?? ((await deployment()).environment === "sandbox" ? "off" : "");
  if (file === "off") return () => Promise.resolve();
  if (!isAbsolute(file)) {
    throw usage(`HEADS_FILE must be the absolute path of your own file of heads, or off; got "${file}".`);
  }
  const missing: string[] = [];
  const keeper = await openHeadKeeper({
    file,
    sql,
    monotonicMs: () => performance.now(),
    log: (_, event, fields) => {
      if (fields?.records) missing.push(`${fields.client_id} ${fields.records}`);
      else progress(`HEADS_FILE: ${event}.`);
    },
  }).catch((error: Error) => {
    throw usage(`HEADS_FILE: ${error.message}`);
  });
  if (await keeper.compareAndWrite()) {
    return () => keeper.compareAndWrite().catch((error: Error) => progress(`HEADS_FILE: ${error.message}.`));
  }
  throw new Failure(
    EXIT.defect,
    "records_missing",
    `The database lacks records that HEADS_FILE has: ${
      missing.join(", ")
    }. The bank may already have executed ` +
      `a withdrawal that looks unpaid. Follow the page "Backups and recovery" first.`,
  );
}

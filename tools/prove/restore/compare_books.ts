import { until } from "../../testing/until.ts";
import type { Deployment } from "../stage/deployment.ts";
import type { Finding } from "../stage/report.ts";

/** Commits within this time of each other may be in the WAL in another order than their times. */
const SAME_TIME_MS = 10;

interface Books {
  /**
   * The rows of all append-only tables: the table and a digest of each row, and its commit time in Unix ms.
   */
  readonly rows: ReadonlyMap<string, number>;
  /** The hash of each record, by client and sequence. */
  readonly hashes: ReadonlyMap<string, string>;
  /** The balances after each record, by client and sequence. */
  readonly balances: ReadonlyMap<string, string>;
  /** The newest record of each client and its present balances. */
  readonly accounts: readonly { readonly record: string; readonly balances: string }[];
}

/** Seals every hash chain, and then reads the whole books. Needs track_commit_timestamp. */
export function readBooks(deployment: Pick<Deployment, "inNewSession">): Promise<Books> {
  return deployment.inNewSession(async (sql) => {
    await until(async () => {
      const [row] = await sql`
        select count(gold.seal_chain(a.client_id))::int as unsealed from gold.account a
        left join gold.chain_tail t on t.client_id = a.client_id
        where a.client_id > 0 and a.event_sequence > coalesce(t.sequence, 0)`;
      return row!.unsealed === 0;
    });
    const tables = await sql<{ name: string }[]>`
      select tgrelid::regclass::text as name from pg_trigger
      where tgname = 'append_only' and tgtype & 16 > 0 and tgparentid = 0 order by 1`;
    const rows = new Map<string, number>();
    for (const { name } of tables) {
      const all = await sql<{ digest: string; ms: number }[]>`
        select md5(t::text) as digest, (extract(epoch from pg_xact_commit_timestamp(t.xmin)) * 1000)::float8 as ms
        from ${sql.unsafe(name)} t`;
      for (const { digest, ms } of all) rows.set(`${name} ${digest}`, ms);
    }
    const byRecord = (found: readonly { record: string; text: string }[]) =>
      new Map(found.map(({ record, text }) => [record, text]));
    return {
      rows,
      hashes: byRecord(
        await sql`
        select client_id || ' ' || sequence as record, encode(hash, 'hex') as text from gold.chain_link`,
      ),
      balances: byRecord(
        await sql`
        select distinct on (client_id, sequence) client_id || ' ' || sequence as record,
          format('%s %s %s', sar_available_after, sar_held_after, gold_after) as text
        from gold.transfer order by client_id, sequence, leg desc`,
      ),
      accounts: await sql`
        select client_id || ' ' || event_sequence as record, format('%s %s %s', sar_available, sar_held, gold) as balances
        from gold.account where client_id > 0 and event_sequence > 0`,
    };
  });
}

/**
 * Compares restored books with the original books. Each append-only table must have exactly the rows that
 * were committed by `epochMs`. Each partner must have the balances and the hash of its newest restored
 * record.
 */
export function compareBooks(original: Books, restored: Books, epochMs: number): Finding {
  const violations: string[] = [];
  const tables = new Map<string, { rows: number; missing: number; foreign: number }>();
  const countIn = (row: string, kind: "rows" | "missing" | "foreign") => {
    const name = row.slice(0, row.indexOf(" "));
    const counts = tables.get(name) ?? { rows: 0, missing: 0, foreign: 0 };
    counts[kind]++;
    tables.set(name, counts);
  };
  for (const [row, ms] of original.rows) {
    if (ms <= epochMs - SAME_TIME_MS && !restored.rows.has(row)) countIn(row, "missing");
  }
  for (const [row, ms] of restored.rows) {
    // After the restore, the service adds rows when it seals chains and notes its epoch.
    if (ms > epochMs) continue;
    countIn(row, "rows");
    if (!(original.rows.get(row)! <= epochMs)) countIn(row, "foreign");
  }
  for (const [name, { missing, foreign }] of tables) {
    if (missing > 0) violations.push(`${name} lacks ${missing} rows that were committed before the second`);
    if (foreign > 0) violations.push(`${name} has ${foreign} rows that it did not have at the second`);
  }
  for (const [record, hash] of restored.hashes) {
    if (original.hashes.get(record) !== hash) violations.push(`record ${record} has another hash`);
  }
  for (const { record, balances } of restored.accounts) {
    if (!restored.hashes.has(record)) violations.push(`the chain lacks record ${record}`);
    if (original.balances.get(record) !== balances) {
      violations.push(
        `the balances after record ${record} are ${balances}, not ${original.balances.get(record)}`,
      );
    }
  }
  const rows = [...tables.values()].reduce((sum, counts) => sum + counts.rows, 0);
  if (rows === 0 || restored.accounts.length === 0) violations.push("the restored books are empty");
  return {
    what:
      `${rows} rows of ${tables.size} tables; ${restored.accounts.length} partners have their balances and heads`,
    violations,
  };
}

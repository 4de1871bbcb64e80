// The results of an interrupted audit. A range's result is used again only if no row of the range has
// changed. Every change gives the row a new version (xmin), and versions grow until transaction ids wrap
// around. So in each table, the number of rows and the sum of their versions show any edit, insert or delete
// that was committed meanwhile.
import { renameSync, writeFileSync } from "node:fs";
import { readFile } from "node:fs/promises";
import type { RangeResult } from "./books/check_range.ts";
import { type Range, whereRange } from "./books/range.ts";
import type { Connection } from "./snapshot.ts";
import type { Table } from "./tables.ts";

interface StoredResult extends RangeResult {
  readonly name: string;
  readonly versions: string;
}

/**
 * All tables that the check of a range reads. A change in a table that is missing here would go unnoticed.
 */
const RANGED: readonly Table[] = [
  "account",
  "chain_tail",
  "endpoint",
  "allowance",
  "event",
  "transfer",
  "orders",
  "funding",
  "withdrawal",
  "withdrawal_step",
  "deposit",
  "chain_link",
  "retry",
  "attempt",
  "expiry_notice",
  "partner_change",
  "simulated_price",
  "quote",
  "idempotency_key",
  "refusal",
  "closed_day",
  "nonce",
];

export async function versionsOf(sql: Connection, range: Range): Promise<string> {
  const counts: string[] = [];
  for (const table of RANGED) {
    const [row] = await sql.unsafe(
      `select count(*)::text as rows, coalesce(sum(xmin::text::numeric), 0)::text as versions from gold.${table} ${
        whereRange(range, table)
      }`,
    );
    counts.push(`${table} ${row!.rows} ${row!.versions}`);
  }
  return counts.join(", ");
}

/** The file with the results of the ranges that an audit has checked. */
export class AuditState {
  readonly #file: string;
  /** A hash of every input of the results except the database: the rules, the options and the files. */
  readonly #basis: string;
  readonly #results: Map<string, StoredResult>;

  private constructor(file: string, basis: string, results: readonly StoredResult[]) {
    this.#file = file;
    this.#basis = basis;
    this.#results = new Map(results.map((result) => [result.name, result]));
  }

  /**
   * Opens the file, or begins one that does not exist. Results of another basis are dropped. Throws a
   * RangeError for a file that no audit wrote, because keep() would overwrite it.
   */
  static async open(file: string, basis: string): Promise<AuditState> {
    const text = await readFile(file, "utf8").catch((error: NodeJS.ErrnoException) => {
      if (error.code === "ENOENT") return "";
      throw new RangeError(`The results of an earlier audit cannot be read from ${file}: ${error.message}.`);
    });
    if (text === "") return new AuditState(file, basis, []);
    const known = readResults(text);
    if (!known) {
      throw new RangeError(`${file} holds no results of an audit. Name another file, which need not exist.`);
    }
    return new AuditState(file, basis, known.basis === basis ? known.parts : []);
  }

  find(name: string, versions: string): StoredResult | undefined {
    const result = this.#results.get(name);
    return result?.versions === versions ? result : undefined;
  }

  /**
   * Writes a second file and renames it, so that an interrupted write keeps the earlier results. Writes
   * synchronously, because two ranges that end together must not write at the same time.
   */
  keep(result: StoredResult): void {
    this.#results.set(result.name, result);
    const content = { basis: this.#basis, parts: [...this.#results.values()] };
    writeFileSync(`${this.#file}.new`, JSON.stringify(content));
    renameSync(`${this.#file}.new`, this.#file);
  }
}

interface Results {
  readonly basis: string;
  readonly parts: readonly StoredResult[];
}

function readResults(text: string): Results | undefined {
  try {
    const results = JSON.parse(text) as Partial<Results> | null;
    return typeof results?.basis === "string" && Array.isArray(results.parts)
      ? results as Results
      : undefined;
  } catch {
    return undefined;
  }
}

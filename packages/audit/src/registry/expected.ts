import { instantText } from "../values.ts";

/** An instant that the database took from its clock shortly before the instant of the audit row. */
export class Near {
  readonly ms: number;
  constructor(ms: number) {
    this.ms = ms;
  }

  matches(found: unknown): boolean {
    return typeof found === "number" && Math.abs(found - this.ms) <= NEAR_MS;
  }

  toString(): string {
    return `about ${instantText(this.ms)}`;
  }
}

/** A statement of `gold` ends after at most 60 seconds. */
export const NEAR_MS = 60_000;

/** The columns that the audit trail determines. A column that is missing here is not compared. */
export type Columns = Record<string, unknown>;

/** The expected rows of each table, by a key that `compare.ts` also builds from the actual row. */
export class ExpectedTables {
  readonly tables = new Map<string, Map<string, Columns>>();

  of(table: string): Map<string, Columns> {
    if (!this.tables.has(table)) this.tables.set(table, new Map());
    return this.tables.get(table)!;
  }

  set(table: string, key: string, columns: Columns): void {
    const known = this.of(table).get(key);
    if (known) Object.assign(known, columns);
    else this.of(table).set(key, { ...columns });
  }

  remove(table: string, key: string): void {
    this.of(table).delete(key);
  }

  /** The rows of one partner, in the order in which they were added. */
  ownedBy(table: string, partner: string): Columns[] {
    return [...this.of(table).values()].filter((row) => row.partner === partner);
  }
}

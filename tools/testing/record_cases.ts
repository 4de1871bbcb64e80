import { readFileSync } from "node:fs";

/** A row of the database, and the text of its members. */
export interface RecordCase {
  readonly name: string;
  readonly record: string;
  readonly row: Readonly<Record<string, string | number | null>>;
  readonly status?: string;
  readonly members: string;
}

/** The cases of vectors/records.json, which the database and the audit must write. */
export const RECORD_CASES: readonly RecordCase[] =
  JSON.parse(readFileSync(new URL("../../vectors/records.json", import.meta.url), "utf8")).cases;

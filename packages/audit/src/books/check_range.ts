import { type Finding, Findings } from "../findings.ts";
import type { Books, Totals } from "./context.ts";
import { checkNonces } from "./nonces.ts";
import type { Range } from "./range.ts";
import { checkRecords } from "./records.ts";
import { checkRefusals } from "./refusals.ts";
import { checkReplies } from "./replies.ts";

/** The result of one range of clients. It can be stored as JSON. */
export interface RangeResult {
  readonly findings: readonly Finding[];
  readonly counts: Readonly<Record<string, number>>;
  readonly clientGold: string;
  readonly sold: string;
  readonly records: number;
  readonly unsigned: number;
  readonly verified: number;
}

/** What the rules of a range read besides the rows of the range. */
export type SharedBooks = Omit<Books, "findings" | "totals">;

export async function checkRange(shared: SharedBooks, range: Range): Promise<RangeResult> {
  const findings = new Findings();
  const totals: Totals = { clientGold: 0n, sold: 0n, records: 0, unsigned: 0, verified: 0 };
  const { signatures } = shared.requests;
  const verifiedBefore = signatures.verified;
  const books: Books = { ...shared, findings, totals };
  await checkRecords(books, range);
  await checkReplies(books, range);
  await checkNonces(books, range);
  await checkRefusals(books, range);
  await signatures.finish();
  return {
    findings: findings.kept,
    counts: Object.fromEntries(findings.counts),
    clientGold: `${totals.clientGold}`,
    sold: `${totals.sold}`,
    records: totals.records,
    unsigned: totals.unsigned,
    verified: signatures.verified - verifiedBefore,
  };
}

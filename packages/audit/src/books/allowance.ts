import type { Findings } from "../findings.ts";
import type { Row } from "../snapshot.ts";
import { instantText } from "../values.ts";

/** A partner's quotes that were neither executed nor expired when the snapshot was taken. */
export interface OpenQuotes {
  number: bigint;
  grams: bigint;
  smallestId: string | undefined;
  earliestEnd: number;
}

const DAY_MS = 86_400_000;
const RIYADH_OFFSET_MS = 3 * 3_600_000;

/** The stored counts are upper bounds, so that booking can leave executed and expired quotes in them. */
export function checkAllowance(
  findings: Findings,
  allowance: Row,
  account: Row | undefined,
  open: OpenQuotes,
): void {
  const row = `allowance ${allowance.client_id}`;
  if (allowance.open_quotes < open.number) {
    findings.add("allowance_covers", `${row} open_quotes`, `at least ${open.number}`, allowance.open_quotes);
  }
  if (allowance.open_grams < open.grams) {
    findings.add("allowance_covers", `${row} open_grams`, `at least ${open.grams}`, allowance.open_grams);
  }
  if (open.smallestId !== undefined && allowance.open_from > open.smallestId) {
    findings.add("allowance_covers", `${row} open_from`, `at most ${open.smallestId}`, allowance.open_from);
  }
  if (account && allowance.counted_sequence > account.event_sequence) {
    findings.add(
      "allowance_covers",
      `${row} counted_sequence`,
      `at most ${account.event_sequence}`,
      allowance.counted_sequence,
    );
  }
  const isMidnight = (allowance.day_ends_at + RIYADH_OFFSET_MS) % DAY_MS === 0;
  if (Number.isFinite(allowance.day_ends_at) && !isMidnight) {
    findings.add(
      "allowance_covers",
      `${row} day_ends_at`,
      "midnight in Riyadh",
      instantText(allowance.day_ends_at),
    );
  }
}

import type { Findings } from "../findings.ts";
import type { Row } from "../snapshot.ts";
import { instantText } from "../values.ts";
import { TOLERANCE_MS } from "./prices.ts";
import { DAY_MS, isMidnight } from "./riyadh_day.ts";

/** A partner's quotes that were neither executed nor expired when the snapshot was taken. */
export interface OpenQuotes {
  number: bigint;
  grams: bigint;
  smallestId: string | undefined;
  earliestEnd: number;
  buys: bigint;
  sells: bigint;
  /** The orders since the beginning of the allowance's day, and those shortly before. */
  readonly dayOrders: { readonly at: number; readonly grams: bigint }[];
  readonly dayFrom: number;
}

export const newOpenQuotes = (allowance: Row | undefined): OpenQuotes => ({
  number: 0n,
  grams: 0n,
  smallestId: undefined,
  earliestEnd: Infinity,
  buys: 0n,
  sells: 0n,
  dayOrders: [],
  dayFrom: allowance ? allowance.day_ends_at - DAY_MS : Infinity,
});

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
  for (const [name, least] of [["open_buy_grams", open.buys], ["open_sell_grams", open.sells]] as const) {
    if (allowance[name] < least) {
      findings.add("allowance_covers", `${row} ${name}`, `at least ${least}`, allowance[name]);
    }
  }
  findings.expect(
    "allowance_covers",
    `${row} open_grams`,
    sumOf([allowance.open_buy_grams, allowance.open_sell_grams]),
    allowance.open_grams,
  );
  if (account) checkDayGold(findings, row, allowance, account.gold, open);
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
  if (Number.isFinite(allowance.day_ends_at) && !isMidnight(allowance.day_ends_at)) {
    findings.add(
      "allowance_covers",
      `${row} day_ends_at`,
      "midnight in Riyadh",
      instantText(allowance.day_ends_at),
    );
  }
}

const sumOf = (quantities: readonly bigint[]) => quantities.reduce((sum, each) => sum + each, 0n);

/**
 * An order within the tolerance of midnight may count for either day, because the clock may have stepped
 * back.
 */
function checkDayGold(
  findings: Findings,
  row: string,
  allowance: Row,
  gold: bigint,
  { dayOrders, dayFrom }: OpenQuotes,
): void {
  const possible = new Set<bigint>();
  if (allowance.maximum_net_grams === null) possible.add(0n);
  else {
    let before = gold;
    for (const { at, grams } of [...dayOrders].sort((left, right) => right.at - left.at)) {
      if (at < dayFrom + TOLERANCE_MS) possible.add(before);
      before -= grams;
    }
    possible.add(before);
  }
  if (!possible.has(allowance.day_gold)) {
    findings.add("allowance_covers", `${row} day_gold`, [...possible].join(" or "), allowance.day_gold);
  }
}

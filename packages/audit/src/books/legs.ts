import type { Findings } from "../findings.ts";
import type { Row } from "../snapshot.ts";
import { instantText } from "../values.ts";

/** The transfer that follows from a record: accounts, asset and amount. */
export type ExpectedLeg = readonly [debit: string, credit: string, asset: string, amount: bigint];

interface Records {
  readonly event: Row;
  readonly order: Row | undefined;
  readonly funding: Row | undefined;
  readonly deposit: Row | undefined;
  readonly withdrawal: Row | undefined;
  readonly steps: readonly Row[];
}

/**
 * Returns the transfers that follow from an event's record, by leg. Returns none if the record does not
 * exist.
 */
export function expectedLegs({ event, order, funding, deposit, withdrawal, steps }: Records): ExpectedLeg[] {
  switch (event.type) {
    case "order.executed":
      if (!order) return [];
      return order.side === "buy"
        ? [["available", "house", "SAR", order.total], ["vault", "gold", "XAU", order.grams]]
        : [["house", "available", "SAR", order.total], ["gold", "vault", "XAU", order.grams]];
    case "funding.completed":
      return funding ? [["bank", "available", "SAR", funding.amount]] : [];
    case "funding.reversed":
      return deposit ? [["available", "bank", "SAR", deposit.amount]] : [];
    case "withdrawal.created":
      return withdrawal ? [["available", "held", "SAR", withdrawal.amount]] : [];
    case "withdrawal.paid":
      return withdrawal ? [["held", "bank", "SAR", withdrawal.amount]] : [];
    case "withdrawal.rejected":
    case "withdrawal.cancelled":
      return withdrawal ? [["held", "available", "SAR", withdrawal.amount]] : [];
    case "withdrawal.returned": {
      const wasPaid = steps[0]?.previous === "paid";
      return withdrawal ? [[wasPaid ? "bank" : "held", "available", "SAR", withdrawal.amount]] : [];
    }
    default:
      return [];
  }
}

export function compareLegs(
  findings: Findings,
  name: string,
  expected: readonly ExpectedLeg[],
  transfers: readonly Row[],
  event: Row | undefined,
): void {
  for (let index = 0; index < Math.max(expected.length, transfers.length); index++) {
    const [leg, transfer] = [expected[index], transfers[index]];
    const row = `transfer ${name} leg ${index + 1}`;
    if (!leg || !transfer || !event) {
      findings.add("transfer_is_derived", row, leg?.join(" "), transfer && textOf(transfer));
      continue;
    }
    const isSame = transfer.leg === index + 1 && transfer.debit === leg[0] && transfer.credit === leg[1] &&
      transfer.asset === leg[2] && transfer.amount === leg[3] && transfer.posted_at === event.created_at;
    if (isSame) continue;
    const wanted = [index + 1, ...leg, instantText(event.created_at)].join(" ");
    findings.add("transfer_is_derived", row, wanted, textOf(transfer));
  }
}

const textOf = ({ leg, debit, credit, asset, amount, posted_at }: Row) =>
  [leg, debit, credit, asset, amount, instantText(posted_at)].join(" ");

// The epochs. A new epoch begins when the books continue on another timeline or cluster of Postgres, such as
// after a failover.
import type { Findings } from "../findings.ts";
import type { Row } from "../snapshot.ts";
import { instantText } from "../values.ts";
import { TOLERANCE_MS } from "./prices.ts";

export interface Epochs {
  readonly rows: readonly Row[];
  /** A sentence about the newest epoch. The finding of a chain that ends too early quotes it. */
  readonly text: string;
}

export function readEpochs(findings: Findings, rows: readonly Row[]): Epochs {
  for (const [index, { id, system, timeline }] of rows.entries()) {
    const before = rows[index - 1];
    if (id !== index + 1) findings.add("epoch_is_whole", `epoch ${id}`, `epoch ${index + 1}`, `epoch ${id}`);
    if (before?.system === system && before!.timeline >= timeline) {
      findings.add("epoch_is_whole", `epoch ${id}`, `a timeline after ${before!.timeline}`, timeline);
    }
    if (before && rows[index]!.began_at < before.began_at - TOLERANCE_MS) {
      const from = instantText(before.began_at);
      findings.add("epoch_is_whole", `epoch ${id}`, `from ${from} on`, instantText(rows[index]!.began_at));
    }
  }
  const newest = rows.at(-1);
  const text = newest
    ? `The newest epoch is ${newest.id}, on timeline ${newest.timeline} since ${
      instantText(newest.began_at)
    }.`
    : "There is no epoch.";
  // Copy the rows, because the database client's arrays have members that cannot be sent to the second
  // process.
  return { rows: [...rows], text };
}

/** A closed day names the epoch in which its event was posted. */
export function checkEpoch(findings: Findings, { rows }: Epochs, day: Row, event: Row): Row | undefined {
  const epoch = rows.find(({ id }) => id === day.epoch);
  const next = rows.find(({ id }) => id === day.epoch + 1);
  const at = event.created_at;
  const isCurrent = epoch && at >= epoch.began_at - TOLERANCE_MS &&
    at <= (next?.began_at ?? Infinity) + TOLERANCE_MS;
  if (!isCurrent) {
    const name = `closed_day ${day.client_id} ${day.day} epoch`;
    findings.add("epoch_is_whole", name, `the epoch at ${instantText(at)}`, day.epoch);
  }
  return epoch;
}

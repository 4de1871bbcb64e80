import type { Row } from "../snapshot.ts";
import { instantText } from "../values.ts";
import type { Books, Client } from "./context.ts";
import type { Lookups } from "./lookups.ts";
import { dayOf } from "./riyadh_day.ts";

/** Checks a step of a withdrawal against the withdrawal, the previous step, the event and the audit trail. */
export function checkStep(
  { findings, notes, batches }: Books,
  client: Client,
  lookups: Lookups,
  step: Row,
  event: Row,
): void {
  const withdrawal = lookups.withdrawals.get(step.withdrawal_id);
  const row = `withdrawal_step ${step.withdrawal_id} ${step.status}`;
  const last = lookups.lastSteps.get(step.withdrawal_id);
  lookups.lastSteps.set(step.withdrawal_id, step);
  if (!withdrawal) return findings.add("withdrawal_is_stepped", row, "a withdrawal", "nothing");
  const type = `withdrawal.${step.status === "pending_approval" ? "created" : step.status}`;
  findings.expect("withdrawal_is_stepped", `${row} event`, type, event.type);
  const before = `${last?.status ?? "none"} by ${last?.login ?? "nobody"}`;
  const named = `${step.previous ?? "none"} by ${step.previous_login ?? "nobody"}`;
  findings.expect("withdrawal_is_stepped", `${row} previous`, before, named);
  // Only a cancellation is a request of the partner. replies.ts compares its answer.
  findings.expect("answer_is_bound", `${row} answer`, step.status === "cancelled", step.answer !== null);
  if (step.status === "pending_approval") {
    const own = [withdrawal.sequence, instantText(withdrawal.created_at)].join(" ");
    findings.expect("withdrawal_is_stepped", row, own, [step.sequence, instantText(step.at)].join(" "));
    findings.expect("withdrawal_is_stepped", `${row} batch_id`, null, step.batch_id);
    return;
  }
  if (step.status === "submitted") {
    lookups.expectedOn.set(withdrawal.id, dayOf(batches.get(step.batch_id) ?? NaN));
  }
  if (step.status === "submitted" && step.login === step.previous_login) {
    findings.add("withdrawal_is_stepped", row, "a login that did not approve the withdrawal", step.login);
  }
  // The partner cancels with a signed request, which the step's answer binds.
  if (step.status === "cancelled") {
    findings.expect("withdrawal_is_stepped", `${row} batch_id`, null, step.batch_id);
    return;
  }
  const note = notes.takeStep(step.status, withdrawal.id);
  const noted = note && [note.subject, note.login, note.detail.amount, note.detail.batch ?? null].join(" ");
  const found = [client.publicId, step.login, withdrawal.amount, step.batch_id].join(" ");
  findings.expect("withdrawal_is_stepped", `${row} audit`, noted, found);
}

/** Reports each step in this partner's audit trail that does not exist in the books. */
export function checkUnusedNotes({ findings, notes }: Books, { publicId }: Client): void {
  if (publicId === undefined) return;
  for (const { id, action, detail } of notes.unusedSteps(publicId)) {
    findings.add("withdrawal_is_stepped", `audit ${id}`, `${action} of ${detail.withdrawal}`, "no such step");
  }
}

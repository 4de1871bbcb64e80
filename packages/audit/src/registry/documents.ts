import type { Findings } from "../findings.ts";
import type { Connection, Row } from "../snapshot.ts";
import { selectFrom } from "../tables.ts";
import { dayOf } from "../books/riyadh_day.ts";
import { instantText, sha256Hex } from "../values.ts";
import type { Note, Notes } from "./notes.ts";
import { makeDocument, type Payment } from "./payment_document.ts";

/**
 * The login that submits simulated payments in a sandbox. Their documents contain only a note that none was
 * sent.
 */
const SIMULATED_BY = "gold_simulation_checker";
/** Up to 0.4.0, `gold` read the clock for the document at most this long before it stored the batch. */
const PREPARED_BEFORE_MS = 60_000;

/** The names and the account in force at an audit row. */
interface Known {
  readonly names: Map<string, string>;
  payer: { readonly name: string; readonly iban: string; readonly bic: string } | undefined;
}

/**
 * Makes each payment document again from the withdrawals of its batch, and from the names and the payout
 * account that the audit trail gives at that time.
 */
export async function checkDocuments(
  sql: Connection,
  findings: Findings,
  notes: Notes,
  batches: readonly Row[],
  publicIds: ReadonlyMap<number, string>,
  isSandbox: boolean,
): Promise<void> {
  const left = new Map(batches.map((batch) => [batch.id as string, batch]));
  const known: Known = { names: new Map(), payer: undefined };
  for (const note of notes.all) {
    learn(known, note);
    if (note.action !== "withdrawal.batch") continue;
    const batch = left.get(note.subject);
    left.delete(note.subject);
    // compareRegistry() reports a missing batch.
    if (batch) await checkDocument(sql, findings, note, batch, known, publicIds, isSandbox);
  }
  for (const { id, document } of left.values()) {
    findings.expect("document_is_noted", `payment_batch ${id}`, undefined, sha256Hex(document));
  }
}

function learn(known: Known, { action, subject, detail }: Note): void {
  if (/^partner\.(create|set)$/.test(action) && detail.name) known.names.set(subject, detail.name);
  if (action === "deployment.payout") known.payer = { name: detail.name, iban: subject, bic: detail.bic };
}

async function checkDocument(
  sql: Connection,
  findings: Findings,
  { detail }: Note,
  { id, login, document, created_at }: Row,
  { names, payer }: Known,
  publicIds: ReadonlyMap<number, string>,
  isSandbox: boolean,
): Promise<void> {
  const row = `payment_batch ${id}`;
  findings.expect("document_is_noted", row, detail.document_sha256, sha256Hex(document));
  const steps = await sql.unsafe(
    selectFrom("withdrawal_step", `where batch_id = '${id}' order by client_id, sequence`),
  );
  findings.expect("document_is_noted", `${row} withdrawals`, detail.withdrawals, steps.length);
  if (isSandbox && login === SIMULATED_BY) return;
  const payments: Payment[] = [];
  for (const { bucket, client_id, withdrawal_id } of steps) {
    const [withdrawal] = await sql.unsafe(
      selectFrom(
        "withdrawal",
        `where bucket = ${bucket} and client_id = ${client_id} and id = '${withdrawal_id}'`,
      ),
    );
    payments.push({
      id: withdrawal_id,
      halalas: withdrawal?.amount ?? 0n,
      name: names.get(publicIds.get(client_id) ?? "") ?? "",
      iban: withdrawal?.iban ?? "",
      reference: withdrawal?.reference ?? null,
    });
  }
  const stated = Date.parse(/<CreDtTm>([^<]*)</.exec(document)?.[1] ?? "");
  const isEarlier = stated < created_at && stated >= created_at - PREPARED_BEFORE_MS;
  const preparedAt = isEarlier ? stated : created_at;
  const made = makeDocument({
    id,
    createdAt: instantText(preparedAt),
    day: dayOf(preparedAt),
    payer: payer ?? { name: "", iban: "", bic: "" },
    payments,
  });
  if (made !== document) findings.add("document_is_noted", row, ...firstDifference(made, document));
}

/** The first line that differs, which names the element. */
function firstDifference(expected: string, found: string): [string, string] {
  const [left, right] = [expected.split("\n"), found.split("\n")];
  const at = left.findIndex((line, index) => line !== right[index]);
  return [left[at]?.trim() || "the end", right[at]?.trim() || "the end"];
}

import { createHash } from "node:crypto";
import type { SignedRows } from "@gold-partner/approvals";
import { formatHalalas } from "@gold-partner/protocol";
import type { Row as SqlRow } from "postgres";
import type { Command, Invocation, Result, Row } from "../../command.ts";
import { EXIT, Failure, isOutcomeUnknown, usage } from "../../failure.ts";
import { withNewFile } from "../../new_file.ts";
import { OPERATOR_KEYS_OPTION, readSignedPayees } from "../../operator_keys_file.ts";
import { instantOf } from "../../output.ts";
import { requireKeptRecords } from "../../own_heads.ts";
import { optional, required } from "../../values.ts";
import { batchOf } from "./money_rows.ts";
import { demandPayment, isPayeeSigned, verifyDocument } from "./payment_check.ts";
import { describePayment, readPaymentApprovals } from "./payment_proposal.ts";
import { changeAlone, makeOrPropose } from "../changes/proposing.ts";

/**
 * The largest number of payments in one batch. It is small, because a batch locks the accounts of all its
 * payments.
 */
const MOST_PAYMENTS = 500;

const submit: Command = {
  words: "withdrawal submit",
  usage: "withdrawal submit --out FILE [--batch BATCH] [--operator-keys FILE]",
  does:
    "writes the approved withdrawals to a payment file for the bank (pain.001) and marks them as submitted; under two people, proposes the payment instead; with the first keys of --operator-keys or OPERATOR_KEYS, pays only names and IBANs for which two people signed; refused while the database lacks a record of HEADS_FILE; with --batch, writes the file of an earlier batch again",
  options: { out: { type: "string" }, batch: { type: "string" }, ...OPERATOR_KEYS_OPTION },
  run: (invocation) => {
    const file = invocation.path(required(invocation.values, "out"));
    const batch = optional(invocation.values, "batch");
    return batch === undefined ? submitApproved(invocation, file) : writeAgain(invocation, file, batch);
  },
};

export const SUBMISSION_COMMANDS: readonly Command[] = [submit];

async function submitApproved(invocation: Invocation, file: string): Promise<Result> {
  const { db, query, confirm, show, values } = invocation;
  const { sql, deployment } = await db();
  const { payoutAccount, twoPeople } = await deployment();
  if (!payoutAccount) {
    throw usage(
      "The account that withdrawals are paid from is not set. Set it with `gold db migrate --payout-name NAME --payout-iban SA… --payout-bic BIC`.",
    );
  }
  const keep = await requireKeptRecords(invocation);
  const signed = await readSignedPayees(invocation);
  const { payments, left } = await choosePayments(query, signed);
  if (payments.length === 0) throw nothingToSubmit(left);
  const ids = `{${payments.map(({ id }) => id).join()}}`;
  const [prepared] = await query`
    select batch, prepared_at, document, sha256 from gold.prepare_payment(${ids}::text::uuid[])`;
  const { batch, prepared_at, document } = prepared!;
  const preparedAt: string = prepared_at.toISOString();
  verifyDocument({ id: batch, document, payments }, signed);
  const sha256 = sha256Of(document);
  const described = describeBatch(batch, file, sha256, payments);
  // There is no file yet.
  const { file: _file, ...facts } = described.object!;
  if (!values.yes) show({ ...described, object: facts });
  const withdrawals = `${payments.length} withdrawal(s) of ${formatHalalas(totalOf(payments))} SAR`;
  await confirm(
    twoPeople
      ? `Propose to submit ${withdrawals}, with the document ${sha256}? Nothing is paid before another person approves.`
      : `Submit ${withdrawals} to the bank, with the document ${sha256}? If the bank refuses or sends back a payment, run \`gold withdrawal returned WD\`.`,
  );
  const change = describePayment({ id: batch, preparedAt, sha256, payments }, file);
  const result = await makeOrPropose(invocation, async () => {
    // The database builds the document again and compares the hash. If the command is interrupted after the
    // commit, the document is in the database. `--batch` with the batch's id then writes the file.
    await withNewFile(file, document, () => changeAlone(sql, change)).catch((error: Error) => {
      throw isOutcomeUnknown(error) ? outcomeUnknown(error, batch) : error;
    });
    await keep();
    return {
      title:
        "Send the file to the bank. When the bank answers, run `gold withdrawal paid WD` or `gold withdrawal returned WD` for each withdrawal.",
      ...described,
    };
  }, () => change);
  return { ...result, lists: { left } };
}

/**
 * Chooses the approved withdrawals for one batch. The other approved withdrawals are in `left`, with reasons.
 */
async function choosePayments(
  query: Invocation["query"],
  signed: SignedRows | undefined,
): Promise<{ readonly payments: readonly SqlRow[]; readonly left: readonly Row[] }> {
  const approved = await query`
    select *, amount::text, status_by = session_user as own from gold.withdrawal_overview
    where status = 'approved' order by status_at, id`;
  const checked = approved.map((one) => ({ one, reasons: reasonsToLeave(one, isPayeeSigned(one, signed)) }));
  const unpayable = checked.filter(({ reasons }) => reasons.length > 0);
  const payable = checked.filter(({ reasons }) => reasons.length === 0).map(({ one }) => one);
  return {
    payments: payable.slice(0, MOST_PAYMENTS),
    left: [
      ...unpayable.map(({ one, reasons }) => describeLeft(one, reasons.join("; "))),
      ...payable.slice(MOST_PAYMENTS).map((one) =>
        describeLeft(one, "this batch is full: run gold withdrawal submit again")
      ),
    ],
  };
}

/** Writes an earlier document again. This is safe: the bank knows the message's id and pays it once. */
async function writeAgain(invocation: Invocation, file: string, batch: string): Promise<Result> {
  const { query } = invocation;
  const uuid = await batchOf(query, batch);
  const [stored] = await query`select document from gold.payment_batch_overview where id = ${uuid}::uuid`;
  if (!stored) {
    throw new Failure(
      EXIT.refused,
      "not_found",
      `There is no batch ${batch}. No batch with this id was submitted.`,
    );
  }
  const sha256 = sha256Of(stored.document);
  await checkDocument(query, uuid, sha256);
  const payments = await query`
    select *, amount::text from gold.withdrawal_overview where batch_id = ${uuid}::uuid order by id`;
  const signed = await readSignedPayees(invocation, await readPaymentApprovals(query, uuid));
  verifyDocument({ id: uuid, document: stored.document, payments }, signed);
  demandPayment({ id: uuid, sha256 }, signed);
  await withNewFile(file, stored.document, () => Promise.resolve());
  return {
    title:
      "The file is exactly the document of this batch. If the bank already has it, do not send it again.",
    ...describeBatch(batch, file, sha256, payments),
    lists: { left: [] },
  };
}

/** Throws unless the audit trail has the same hash. A changed document could pay other accounts. */
async function checkDocument(query: Invocation["query"], batch: string, sha256: string): Promise<void> {
  const notes = await query`
    select detail->>'document_sha256' as hash from gold.audit_overview where action = 'withdrawal.batch' and subject = ${batch}`;
  if (notes.length === 1 && notes[0]!.hash === sha256) return;
  throw new Failure(
    EXIT.defect,
    "document_changed",
    `The document of batch ${batch} is not the one that was submitted. Do not send it to the bank. Run \`gold audit verify\`.`,
  );
}

const sha256Of = (document: string) => createHash("sha256").update(document, "utf8").digest("hex");
/** The bank's identifiers have no hyphens, because they have at most 35 characters. */
const compactUuid = (uuid: string) => uuid.replaceAll("-", "");

function describeBatch(batch: string, file: string, sha256: string, payments: readonly SqlRow[]): Result {
  return {
    object: {
      batch,
      message_id: compactUuid(batch),
      file,
      sha256,
      count: payments.length,
      total_sar: formatHalalas(totalOf(payments)),
    },
    items: payments.map((one) => ({
      withdrawal_id: `wd_${one.id}`,
      client_id: one.public_id,
      end_to_end_id: compactUuid(one.id),
      amount_sar: formatHalalas(BigInt(one.amount)),
      name: one.name,
      iban: one.iban,
    })),
  };
}

const totalOf = (payments: readonly SqlRow[]) =>
  payments.reduce((sum, { amount }) => sum + BigInt(amount), 0n);

/**
 * Returns the reasons to leave out an approved withdrawal. The list is empty if the withdrawal can be paid.
 */
function reasonsToLeave(one: SqlRow, isSigned: boolean): readonly string[] {
  return [
    ...(one.own ? ["you approved it, so another login has to submit it"] : []),
    ...(one.held_until
      ? [`its partner's IBAN was changed, so it is held until ${one.held_until.toISOString()}`]
      : []),
    ...(one.name_fault ? [`its partner's name ${one.name_fault}`] : []),
    ...(isSigned ? [] : ["two people have not signed for its IBAN and its partner's name"]),
  ];
}

function describeLeft(one: SqlRow, reason: string): Row {
  return {
    withdrawal_id: `wd_${one.id}`,
    client_id: one.public_id,
    amount_sar: formatHalalas(BigInt(one.amount)),
    reason,
    held_until: instantOf(one.held_until),
  };
}

function nothingToSubmit(left: readonly Row[]): Failure {
  const reasons = left.length === 0
    ? ["No withdrawal is approved."]
    : left.map(({ withdrawal_id, reason }) => `${withdrawal_id}: ${reason}.`);
  return new Failure(
    EXIT.refused,
    "nothing_to_submit",
    `There is nothing to submit. ${reasons.join(" ")}`,
  );
}

function outcomeUnknown({ message }: Error, batch: string): Failure {
  return new Failure(
    EXIT.dependency,
    "outcome_unknown",
    `${message}. The withdrawals may have been submitted, and the file was not written. Run \`gold withdrawal submit --batch ${batch} --out FILE\`: it writes the file if they were submitted, and exits with 1 if they were not.`,
  );
}

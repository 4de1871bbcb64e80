import { createHash } from "node:crypto";
import { formatHalalas } from "@gold-partner/protocol";
import type { Row as SqlRow } from "postgres";
import type { Command, Invocation, Result, Row } from "../command.ts";
import { EXIT, Failure, isOutcomeUnknown, usage } from "../failure.ts";
import { withNewFile } from "../new_file.ts";
import { OPERATOR_KEYS_OPTION, readSignedRows } from "../operator_keys_file.ts";
import { instantOf, printText } from "../output.ts";
import { optional, required, uuidOf } from "../values.ts";
import { isPayeeSigned, verifyDocument } from "./payment_check.ts";

/**
 * The largest number of payments in one batch. It is small, because a batch locks the accounts of all its
 * payments.
 */
const MOST_PAYMENTS = 500;

const submit: Command = {
  words: "withdrawal submit",
  usage: "withdrawal submit --out FILE [--batch BATCH] [--operator-keys FILE]",
  does:
    "writes the approved withdrawals to a payment file for the bank (pain.001) and marks them as submitted; pays only IBANs for which two people signed, with the first keys of --operator-keys or OPERATOR_KEYS; with --batch, writes the file of an earlier batch again",
  options: { out: { type: "string" }, batch: { type: "string" }, ...OPERATOR_KEYS_OPTION },
  run: (invocation) => {
    const file = invocation.path(required(invocation.values, "out"));
    const batch = optional(invocation.values, "batch");
    return batch === undefined ? submitApproved(invocation, file) : writeAgain(invocation, file, batch);
  },
};

export const SUBMISSION_COMMANDS: readonly Command[] = [submit];

async function submitApproved(invocation: Invocation, file: string): Promise<Result> {
  const { db, query, confirm, progress, values } = invocation;
  const { deployment } = await db();
  if (!(await deployment()).payoutAccount) {
    throw usage(
      "The account that withdrawals are paid from is not set. Set it with `gold db migrate --payout-name NAME --payout-iban SA… --payout-bic BIC`.",
    );
  }
  const signed = await readSignedRows(invocation);
  const approved = await query`
    select *, amount::text, status_by = session_user as own from gold.withdrawal_overview
    where status = 'approved' order by status_at, id`;
  const left = approved.flatMap((one) => leftOut(one, isPayeeSigned(one, signed)));
  const leftIds = new Set(left.map(({ withdrawal_id }) => withdrawal_id));
  const payable = approved.filter((one) => !leftIds.has(`wd_${one.id}`));
  const taken = payable.slice(0, MOST_PAYMENTS);
  if (taken.length === 0) throw nothingToSubmit(left);
  const ids = `{${taken.map(({ id }) => id).join()}}`;
  const [prepared] = await query`
    select batch, prepared_at::text, document, sha256 from gold.prepare_payment(${ids}::text::uuid[])`;
  const { batch, prepared_at: preparedAt, document } = prepared!;
  verifyDocument({ id: batch, document, payments: taken }, signed);
  const sha256 = sha256Of(document);
  const described = describeBatch(batch, file, sha256, taken);
  if (!values.yes) printText(described).split("\n").forEach(progress);
  await confirm(
    `Submit ${taken.length} withdrawal(s) of ${
      formatHalalas(totalOf(taken))
    } SAR to the bank, with the document ${sha256}?`,
  );
  // The database builds the document again and compares the hash. If the command is interrupted after the commit,
  // the document is in the database. `--batch` with the batch's id then writes the file.
  await withNewFile(
    file,
    document,
    () =>
      query`
        select gold.submit_payment(${batch}::uuid, ${ids}::text::uuid[], ${preparedAt}::text::timestamptz, ${sha256})`,
  )
    .catch((error: Error) => {
      throw isOutcomeUnknown(error) ? outcomeUnknown(error, batch) : error;
    });
  return {
    title:
      "Send the file to the bank. When the bank answers, run `gold withdrawal paid WD` or `gold withdrawal returned WD` for each withdrawal.",
    ...described,
    lists: {
      left: [
        ...left,
        ...payable.slice(MOST_PAYMENTS).map((one) =>
          describeLeft(one, "this batch is full: run gold withdrawal submit again")
        ),
      ],
    },
  };
}

/** Writes an earlier document again. This is safe: the bank knows the message's id and pays it once. */
async function writeAgain(invocation: Invocation, file: string, batch: string): Promise<Result> {
  const { query } = invocation;
  const uuid = uuidOf("batch", "", batch);
  const [stored] = await query`select document from gold.payment_batch_overview where id = ${uuid}::uuid`;
  if (!stored) {
    throw new Failure(
      EXIT.refused,
      "not_found",
      `There is no batch ${batch}. No batch with this id was submitted.`,
    );
  }
  await checkDocument(query, uuid, stored.document);
  const payments = await query`
    select *, amount::text from gold.withdrawal_overview where batch_id = ${uuid}::uuid order by id`;
  verifyDocument({ id: uuid, document: stored.document, payments }, await readSignedRows(invocation));
  await withNewFile(file, stored.document, () => Promise.resolve());
  return {
    title:
      "The file is identical to the first one. You can send it again: the bank pays each message id only once.",
    ...describeBatch(batch, file, sha256Of(stored.document), payments),
    lists: { left: [] },
  };
}

/**
 * Throws unless the document has the hash that the audit chain recorded. A changed document could pay other
 * accounts.
 */
async function checkDocument(query: Invocation["query"], batch: string, document: string): Promise<void> {
  const notes = await query`
    select detail->>'document_sha256' as hash from gold.audit_overview where action = 'withdrawal.batch' and subject = ${batch}`;
  if (notes.length === 1 && notes[0]!.hash === sha256Of(document)) return;
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

/** Returns an approved withdrawal with the reasons to leave it out, or nothing if it can be paid. */
function leftOut(one: SqlRow, isSigned: boolean): Row[] {
  const reasons: string[] = [
    ...(one.own ? ["you approved it, so another login has to submit it"] : []),
    ...(one.held_until
      ? [`its partner's IBAN was changed, so it is held until ${one.held_until.toISOString()}`]
      : []),
    ...(one.name_fault ? [`its partner's name ${one.name_fault}`] : []),
    ...(isSigned ? [] : ["two people have not signed for its IBAN and its partner's name"]),
  ];
  return reasons.length === 0 ? [] : [describeLeft(one, reasons.join("; "))];
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
  const reasons = left.map(({ withdrawal_id, reason }) => `${withdrawal_id}: ${reason}.`);
  return new Failure(
    EXIT.refused,
    "nothing_to_submit",
    ["There is nothing to submit.", ...reasons.length > 0 ? reasons : ["No withdrawal is approved."]].join(
      " ",
    ),
  );
}

function outcomeUnknown({ message }: Error, batch: string): Failure {
  return new Failure(
    EXIT.dependency,
    "outcome_unknown",
    `${message}. The withdrawals may have been submitted, and the file was not written. Run \`gold withdrawal submit --batch ${batch} --out FILE\`: it writes the file if they were submitted, and exits with 1 if they were not.`,
  );
}

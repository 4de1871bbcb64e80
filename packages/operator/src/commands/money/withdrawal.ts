import { formatHalalas, WITHDRAWAL_STATUSES } from "@gold-partner/protocol";
import type { Row as SqlRow } from "postgres";
import type { Command, Invocation, Result, Row } from "../../command.ts";
import { EXIT, Failure, usage } from "../../failure.ts";
import { OPERATOR_KEYS_OPTION, readSignedPayees } from "../../operator_keys_file.ts";
import { requireKeptRecords } from "../../own_heads.ts";
import { instantOf } from "../../output.ts";
import { oneOf, optional } from "../../values.ts";
import {
  batchOf,
  describePage,
  describeWithdrawal,
  findWithdrawal,
  limitOf,
  MOST_UUID,
  PAGE_OPTIONS,
  sarOf,
  withdrawalText,
} from "./money_rows.ts";
import { isPayeeSigned } from "./payment_check.ts";
import { changeOrPropose } from "../changes/proposing.ts";

const STATUSES = WITHDRAWAL_STATUSES;
/** A step locks the accounts of all its withdrawals, as a batch of payments does. */
const MOST_AT_ONCE = 500;

const list: Command = {
  words: "withdrawal list",
  usage: "withdrawal list [--status STATUS] [--limit N] [--after WD]",
  does: `lists withdrawals, newest first, also those with one status: ${STATUSES.join(", ")}`,
  options: { status: { type: "string" }, ...PAGE_OPTIONS },
  async run({ values, query }) {
    const given = optional(values, "status");
    const status = given === undefined ? null : oneOf(given, "status", STATUSES);
    const [most, after] = [limitOf(values), optional(values, "after")];
    const last = after === undefined ? undefined : await findWithdrawal(query, after);
    const rows = await query`
      select *, amount::text from gold.withdrawal_overview
      where status = coalesce(${status}::text::gold.withdrawal_status, status)
        and (created_at, id) < (${last?.created_at.toISOString() ?? "infinity"}::text::timestamptz,
          ${last?.id ?? MOST_UUID}::uuid)
      order by created_at desc, id desc limit ${most + 1}`;
    const items = rows.map((row): Row => ({
      withdrawal_id: `wd_${row.id}`,
      client_id: row.public_id,
      amount_sar: formatHalalas(BigInt(row.amount)),
      reference: row.reference,
      iban: row.iban,
      status: row.status,
      status_at: row.status_at.toISOString(),
      status_by: row.status_by,
      batch: row.batch_id,
      held_until: instantOf(row.held_until),
      created_at: row.created_at.toISOString(),
    }));
    return describePage(items, most, "withdrawal_id");
  },
};

const approve: Command = {
  words: "withdrawal approve",
  usage: "withdrawal approve [WD …] [--operator-keys FILE]",
  does:
    "approves withdrawals for payment: those that you name, or the list of all that wait; another login must submit them; with the first keys of --operator-keys or OPERATOR_KEYS, refuses an IBAN or a name for which two people have not signed; refused while the database lacks a record of HEADS_FILE",
  options: OPERATOR_KEYS_OPTION,
  takes: ["[WD…]"],
  async run(invocation) {
    const { query, confirm, show, values, positionals } = invocation;
    const signed = await readSignedPayees(invocation);
    const found = await findAll(query, positionals, "pending_approval");
    const [rows, left] = [found.filter(isSigned), found.filter((row) => !isSigned(row))];
    function isSigned(row: SqlRow): boolean {
      return isPayeeSigned(row, signed);
    }
    if (left.length > 0 && (positionals.length > 0 || rows.length === 0)) throw unsigned(left);
    const keep = await requireKeptRecords(invocation);
    const wayBack = `Until another login submits it, \`gold withdrawal reject ${
      nameOf(rows)
    }\` gives the money back.`;
    if (rows.length > 1 && !values.yes) show(describeAll(rows, "pending_approval"));
    await confirm(`Approve ${textOfAll(rows)}? ${wayBack}`, true);
    await query`
      select gold.approve_withdrawal(id) from (
        select w.id from gold.withdrawal_overview w join gold.partner_overview p using (public_id)
        where w.id = any(${idsOf(rows)}::text::uuid[]) order by p.id, w.id offset 0) w`;
    await keep();
    const result = { title: wayBack, ...describeAll(rows, "approved") };
    return left.length > 0 ? { ...result, notice: unsigned(left).message } : result;
  },
};

const reject: Command = {
  words: "withdrawal reject",
  usage: "withdrawal reject WD",
  does: "rejects a withdrawal that is not submitted yet; its amount becomes available again",
  takes: ["WD"],
  async run({ query, confirm, positionals: [id] }) {
    const row = await findWithdrawal(query, id!);
    const wayBack = "The partner has the amount again. To withdraw it, the partner must make a new request.";
    await confirm(`Reject ${withdrawalText(row)}? ${wayBack}`);
    await query`select gold.reject_withdrawal(${row.id}::uuid)`;
    return { title: wayBack, object: { ...describeWithdrawal(row), status: "rejected" } };
  },
};

const paid: Command = {
  words: "withdrawal paid",
  usage: "withdrawal paid WD … | --batch BATCH",
  does:
    "records that the bank paid these withdrawals, or all that are left of a batch; if the money comes back later, use withdrawal returned",
  options: { batch: { type: "string" } },
  takes: ["[WD…]"],
  async run({ values, query, confirm, show, positionals }) {
    const batch = optional(values, "batch");
    if ((batch === undefined) === (positionals.length === 0)) {
      throw usage("Name the withdrawals that the bank paid, or their --batch.");
    }
    const rows = await findAll(query, positionals, "submitted", batch);
    if (!values.yes && rows.length > 1) show(describeAll(rows, "submitted"));
    const writes = `gold withdrawal submit --batch ${rows[0]!.batch_id} --out FILE`;
    await confirm(
      `Did the bank pay ${textOfAll(rows)}? If it has no file yet, \`${writes}\` writes it.`,
      batch === undefined,
    );
    await query`
      select gold.pay_withdrawal(id) from (
        select w.id from gold.withdrawal_overview w join gold.partner_overview p using (public_id)
        where w.id = any(${idsOf(rows)}::text::uuid[]) order by p.id, w.id offset 0) w`;
    return {
      title: `If the bank sends money back, run \`gold withdrawal returned ${nameOf(rows)}\`.`,
      ...describeAll(rows, "paid"),
    };
  },
};

const returned: Command = {
  words: "withdrawal returned",
  usage: "withdrawal returned WD",
  does: "records that the bank refused or sent back a withdrawal; its amount becomes available again",
  takes: ["WD"],
  async run(invocation) {
    const { query, confirm, positionals: [id] } = invocation;
    const row = await findWithdrawal(query, id!);
    const wayBack = "The partner then has the amount again, and no command takes it back.";
    await confirm(`Did the bank send back ${withdrawalText(row)}? ${wayBack}`);
    return await changeOrPropose(invocation, { kind: "withdrawal.return", content: { withdrawal: row.id } }, {
      title: wayBack,
      object: { ...describeWithdrawal(row), status: "returned" },
    });
  },
};

export const WITHDRAWAL_COMMANDS: readonly Command[] = [list, approve, reject, paid, returned];

/** Finds the withdrawals with these ids, or without ids, those with a status, of one batch or of all. */
async function findAll(
  query: Invocation["query"],
  ids: readonly string[],
  status: string,
  batch: string | null = null,
): Promise<readonly SqlRow[]> {
  if (ids.length > 0) return await Promise.all([...new Set(ids)].map((id) => findWithdrawal(query, id)));
  const uuid = batch === null ? null : await batchOf(query, batch);
  const rows = await query`
    select *, amount::text from gold.withdrawal_overview
    where status = ${status}::text::gold.withdrawal_status and (${uuid}::text is null or batch_id = ${uuid}::text::uuid)
    order by status_at, id limit ${MOST_AT_ONCE}`;
  if (rows.length > 0) return rows;
  const where = batch === null ? "" : ` of the batch ${batch}`;
  throw new Failure(EXIT.refused, "not_found", `No withdrawal${where} is ${status.replace("_", " ")}.`);
}

const idsOf = (rows: readonly SqlRow[]): string => `{${rows.map(({ id }) => id).join()}}`;

const nameOf = (rows: readonly SqlRow[]): string => rows.length === 1 ? `wd_${rows[0]!.id}` : "WD";

/** States in one line what the money is, and where it goes. */
const textOfAll = (rows: readonly SqlRow[]): string =>
  rows.length === 1 ? withdrawalText(rows[0]!) : `these ${rows.length} withdrawals, ${sarOf(totalOf(rows))}`;

const totalOf = (rows: readonly SqlRow[]): bigint =>
  rows.reduce((sum, { amount }) => sum + BigInt(amount), 0n);

function describeAll(rows: readonly SqlRow[], status: string): Result {
  if (rows.length === 1) return { object: { ...describeWithdrawal(rows[0]!), status } };
  return {
    object: { status, count: rows.length, total_sar: formatHalalas(totalOf(rows)) },
    items: rows.map(describeWithdrawal),
  };
}

const unsigned = (rows: readonly SqlRow[]): Failure =>
  new Failure(
    EXIT.refused,
    "unsigned",
    `Two people have not signed for the IBAN of ${
      rows.map(({ id }) => `wd_${id}`).join(", ")
    } and its partner's name. It was not approved. Ask who changed them. If both are right, sign for them with \`gold registry adopt\`.`,
  );

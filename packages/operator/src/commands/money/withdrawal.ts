import { formatHalalas, withdrawalStatus } from "@gold-partner/protocol";
import type { Command, Row } from "../../command.ts";
import { EXIT, Failure } from "../../failure.ts";
import { OPERATOR_KEYS_OPTION, readSignedPayees } from "../../operator_keys_file.ts";
import { requireKeptRecords } from "../../own_heads.ts";
import { instantOf } from "../../output.ts";
import { oneOf, optional } from "../../values.ts";
import { describeWithdrawal, findWithdrawal, withdrawalText } from "./money_rows.ts";
import { isPayeeSigned } from "./payment_check.ts";
import { changeOrPropose } from "../changes/proposing.ts";

const STATUSES = withdrawalStatus.options;

const list: Command = {
  words: "withdrawal list",
  usage: "withdrawal list [--status STATUS]",
  does: `lists every withdrawal, or the withdrawals with one status: ${STATUSES.join(", ")}`,
  options: { status: { type: "string" } },
  async run({ values, query }) {
    const given = optional(values, "status");
    const status = given === undefined ? null : oneOf(given, "status", STATUSES);
    const rows = await query`
      select *, amount::text from gold.withdrawal_overview
      where status = coalesce(${status}::text::gold.withdrawal_status, status) order by created_at, id`;
    return {
      items: rows.map((row): Row => ({
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
      })),
    };
  },
};

const approve: Command = {
  words: "withdrawal approve",
  usage: "withdrawal approve WD [--operator-keys FILE]",
  does:
    "approves a withdrawal for payment; another login must submit it; with the first keys of --operator-keys or OPERATOR_KEYS, refuses an IBAN or a name for which two people have not signed; refused while the database lacks a record of HEADS_FILE",
  options: OPERATOR_KEYS_OPTION,
  takes: ["WD"],
  async run(invocation) {
    const { query, confirm, positionals: [id] } = invocation;
    const signed = await readSignedPayees(invocation);
    const row = await findWithdrawal(query, id!);
    if (!isPayeeSigned(row, signed)) {
      throw new Failure(
        EXIT.refused,
        "unsigned",
        `Two people have not signed for the IBAN of ${id} and its partner's name. Nothing was done. Ask who changed them. If both are right, sign for them with \`gold registry adopt\`.`,
      );
    }
    const keep = await requireKeptRecords(invocation);
    const wayBack = `Until another login submits it, \`gold withdrawal reject ${id}\` gives the money back.`;
    await confirm(`Approve ${withdrawalText(row)}? ${wayBack}`, true);
    await query`select gold.approve_withdrawal(${row.id}::uuid)`;
    await keep();
    return { title: wayBack, object: { ...describeWithdrawal(row), status: "approved" } };
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
  usage: "withdrawal paid WD",
  does: "records that the bank paid a withdrawal; if the money comes back later, use withdrawal returned",
  takes: ["WD"],
  async run({ query, positionals: [id] }) {
    const row = await findWithdrawal(query, id!);
    await query`select gold.pay_withdrawal(${row.id}::uuid)`;
    return {
      title: `If the bank sends the money back, run \`gold withdrawal returned ${id}\`.`,
      object: { ...describeWithdrawal(row), status: "paid" },
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

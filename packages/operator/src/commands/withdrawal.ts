import { formatHalalas, withdrawalStatus } from "@gold-partner/protocol";
import type { Command, Row } from "../command.ts";
import { EXIT, Failure } from "../failure.ts";
import { OPERATOR_KEYS_OPTION, readSignedPayees } from "../operator_keys_file.ts";
import { requireKeptRecords } from "../own_heads.ts";
import { instantOf } from "../output.ts";
import { oneOf, optional, uuidOf } from "../values.ts";
import { isPayeeSigned } from "./payment_check.ts";
import { changeOrPropose } from "./proposing.ts";

const STATUSES = withdrawalStatus.options;

const list: Command = {
  words: "withdrawal list",
  usage: "withdrawal list [--status STATUS]",
  does: `lists every withdrawal, or the withdrawals with one status: ${STATUSES.join(", ")}`,
  options: { status: { type: "string" } },
  async run({ values, query }) {
    const asked = optional(values, "status");
    const status = asked === undefined ? null : oneOf(asked, "status", STATUSES);
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
    const { query, positionals: [id] } = invocation;
    const withdrawal = uuidOf("withdrawal", "wd_", id!);
    const signed = await readSignedPayees(invocation);
    const [payee] = await query`
      select public_id, iban, name from gold.withdrawal_overview where id = ${withdrawal}::uuid`;
    if (payee && !isPayeeSigned(payee, signed)) {
      throw new Failure(
        EXIT.refused,
        "unsigned",
        `Two people have not signed for the IBAN of ${id} and its partner's name. Nothing was done. Ask who changed them. If both are right, sign for them with \`gold registry adopt\`.`,
      );
    }
    const keep = await requireKeptRecords(invocation);
    await query`select gold.approve_withdrawal(${withdrawal}::uuid)`;
    await keep();
    return { object: { withdrawal_id: id!, status: "approved" } };
  },
};

const reject: Command = {
  words: "withdrawal reject",
  usage: "withdrawal reject WD",
  does: "rejects a withdrawal that is not submitted yet; its amount becomes available again",
  takes: ["WD"],
  asks: ([id]) =>
    `Reject ${id}? The amount becomes available to the partner again. To withdraw it, the partner must make a new request.`,
  async run({ query, positionals: [id] }) {
    await query`select gold.reject_withdrawal(${uuidOf("withdrawal", "wd_", id!)}::uuid)`;
    return { object: { withdrawal_id: id!, status: "rejected" } };
  },
};

const paid: Command = {
  words: "withdrawal paid",
  usage: "withdrawal paid WD",
  does: "records that the bank paid a withdrawal; if the money comes back later, use withdrawal returned",
  takes: ["WD"],
  async run({ query, positionals: [id] }) {
    await query`select gold.pay_withdrawal(${uuidOf("withdrawal", "wd_", id!)}::uuid)`;
    return { object: { withdrawal_id: id!, status: "paid" } };
  },
};

const returned: Command = {
  words: "withdrawal returned",
  usage: "withdrawal returned WD",
  does: "records that the bank refused or sent back a withdrawal; its amount becomes available again",
  takes: ["WD"],
  asks: ([id]) => `Did the bank send ${id} back? Its amount becomes available to the partner again.`,
  async run(invocation) {
    const { query, positionals: [id] } = invocation;
    const withdrawal = uuidOf("withdrawal", "wd_", id!);
    return await changeOrPropose(invocation, async () => {
      await query`select gold.return_withdrawal(${withdrawal}::uuid)`;
      return { object: { withdrawal_id: id!, status: "returned" } };
    }, () => ({ kind: "withdrawal.return", content: { withdrawal } }));
  },
};

export const WITHDRAWAL_COMMANDS: readonly Command[] = [list, approve, reject, paid, returned];

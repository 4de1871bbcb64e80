import { BALANCE_MAX_HALALAS, formatHalalas, parseHalalas } from "@gold-partner/protocol";
import type { Command, Row } from "../../command.ts";
import { usage } from "../../failure.ts";
import { instantOf } from "../../output.ts";
import { line, oneOf, optional, parsedRequired } from "../../values.ts";
import {
  depositText,
  describeDeposit,
  describePage,
  findDeposit,
  limitOf,
  MOST_UUID,
  PAGE_OPTIONS,
} from "./money_rows.ts";
import { changeOrPropose } from "../changes/proposing.ts";
import { findPartner } from "../partners/registered_partner.ts";

const STATUSES = ["recorded", "approved", "reversed"] as const;

const record: Command = {
  words: "deposit record",
  usage: "deposit record ID [SAR] [BANK_REF] [--amount SAR] [--bank-ref TEXT]",
  does:
    "records a deposit that arrived at the bank; another login must approve it with `deposit approve`; under two people, proposes the deposit instead",
  options: { amount: { type: "string" }, "bank-ref": { type: "string" } },
  takes: ["ID", "[SAR]", "[BANK_REF]"],
  async run(invocation) {
    const { query, positionals: [id, sar, reference] } = invocation;
    const values = {
      ...invocation.values,
      ...(sar === undefined ? {} : { amount: sar }),
      ...(reference === undefined ? {} : { "bank-ref": reference }),
    };
    const amount = parsedRequired(values, "amount", parseTyped);
    if (amount > BALANCE_MAX_HALALAS) {
      throw usage(
        `--amount must be at most ${
          formatHalalas(BALANCE_MAX_HALALAS)
        } SAR, the most that an account can hold; got ${formatHalalas(amount)}.`,
      );
    }
    const bankReference = line(values, "bank-ref");
    const { public_id, name } = await findPartner(query, id!);
    return await changeOrPropose(invocation, {
      kind: "deposit.record",
      content: { client_id: id!, amount: `${amount}`, bank_reference: bankReference },
    }, ({ deposit }) => {
      const id = deposit.replace("dep_", "");
      return {
        title:
          `Another login must approve this deposit. Until then no money is booked. To cancel it, run \`gold deposit reverse ${deposit}\`.`,
        object: {
          ...describeDeposit({ id, public_id, name, amount, bank_reference: bankReference }),
          status: "recorded",
        },
      };
    });
  },
};

const approve: Command = {
  words: "deposit approve",
  usage: "deposit approve DEP",
  does:
    "approves a recorded deposit and books it as a funding; the login that recorded it cannot approve it; refused under two people, where `proposal approve` does this",
  takes: ["DEP"],
  async run({ query, confirm, positionals: [id] }) {
    const row = await findDeposit(query, id!);
    await confirm(`Approve ${depositText(row)}? Does the bank's statement show it?`, true);
    await query`select gold.approve_deposit(${row.id}::uuid)`;
    return {
      title: `To take the money back, run \`gold deposit reverse ${id}\` before the partner spends it.`,
      object: { ...describeDeposit(row), funding_id: `fnd_${row.id}`, status: "approved" },
    };
  },
};

const list: Command = {
  words: "deposit list",
  usage: `deposit list [--status ${STATUSES.join("|")}] [--limit N] [--after DEP]`,
  does: "lists deposits, newest first, with the logins that recorded, approved and reversed them",
  options: { status: { type: "string" }, ...PAGE_OPTIONS },
  async run({ values, query }) {
    const given = optional(values, "status");
    const status = given === undefined ? null : oneOf(given, "status", STATUSES);
    const [most, after] = [limitOf(values), optional(values, "after")];
    const last = after === undefined ? undefined : await findDeposit(query, after);
    const rows = await query`
      select *, amount::text from gold.deposit_overview
      where status = coalesce(${status}::text, status)
        and (recorded_at, id) < (${last?.recorded_at.toISOString() ?? "infinity"}::text::timestamptz,
          ${last?.id ?? MOST_UUID}::uuid)
      order by recorded_at desc, id desc limit ${most + 1}`;
    const items = rows.map((row): Row => ({
      deposit_id: `dep_${row.id}`,
      client_id: row.public_id,
      amount_sar: formatHalalas(BigInt(row.amount)),
      bank_reference: row.bank_reference,
      status: row.status,
      recorded_at: row.recorded_at.toISOString(),
      recorded_by: row.recorded_by,
      approved_at: instantOf(row.approved_at),
      approved_by: row.approved_by,
      reversed_at: instantOf(row.reversed_at),
      reversed_by: row.reversed_by,
    }));
    return describePage(items, most, "deposit_id");
  },
};

const reverse: Command = {
  words: "deposit reverse",
  usage: "deposit reverse DEP",
  does:
    "reverses a deposit; if it was approved, takes its amount back from the partner's account; under two people, another person must approve this",
  takes: ["DEP"],
  async run(invocation) {
    const { query, confirm, positionals: [id] } = invocation;
    const row = await findDeposit(query, id!);
    const effect = row.approved_at ? " Its amount is taken back from the partner's account." : "";
    const wayBack = "To book it again, record it again with `gold deposit record`.";
    await confirm(`Reverse ${depositText(row)}?${effect} ${wayBack}`);
    return await changeOrPropose(invocation, { kind: "deposit.reverse", content: { deposit: row.id } }, {
      title: wayBack,
      object: { ...describeDeposit(row), status: "reversed" },
    });
  },
};

/** A person may mean 50,000 by `50.000`. */
function parseTyped(text: string): bigint {
  if (/^[0-9]+(?:\.[0-9]{1,2})?$/.test(text)) return parseHalalas(text);
  throw usage(`--amount must be SAR such as 50000 or 50000.50, without separators; got ${text}.`);
}

export const DEPOSIT_COMMANDS: readonly Command[] = [record, approve, list, reverse];

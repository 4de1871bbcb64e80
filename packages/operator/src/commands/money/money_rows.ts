import { isolate } from "@gold-partner/command-line";
import type { Query } from "../../query.ts";
import { formatHalalas } from "@gold-partner/protocol";
import type { Row as SqlRow } from "postgres";
import type { Result, Row, Values } from "../../command.ts";
import { EXIT, Failure } from "../../failure.ts";
import { LAST } from "../../resolve_ids.ts";
import { required, uuidOf, wholeNumber } from "../../values.ts";

/** Formats halalas, given as text, for people. */
export const sarOf = (halalas: unknown): string => `${formatHalalas(BigInt(halalas as string))} SAR`;

/** Finds a withdrawal by its id: a row of gold.withdrawal_overview, with the amount as text. */
export async function findWithdrawal(query: Query, id: string): Promise<SqlRow> {
  const [row] = await query`
    select *, amount::text from gold.withdrawal_overview where id = ${uuidOf("withdrawal", "wd_", id)}::uuid`;
  if (row) return row;
  throw new Failure(EXIT.refused, "not_found", `There is no withdrawal ${id}.`);
}

/** Finds a deposit by its id: a row of gold.deposit_overview, with the amount as text and the partner's name. */
export async function findDeposit(query: Query, id: string): Promise<SqlRow> {
  const [row] = await query`
    select d.*, d.amount::text, p.name from gold.deposit_overview d join gold.partner_overview p using (public_id)
    where d.id = ${uuidOf("deposit", "dep_", id)}::uuid`;
  if (row) return row;
  throw new Failure(EXIT.refused, "not_found", `There is no deposit ${id}.`);
}

/** The highest UUID. Without --after, a list begins below it. */
export const MOST_UUID = "ffffffff-ffff-ffff-ffff-ffffffffffff";
export const PAGE_OPTIONS = { limit: { type: "string", default: "100" }, after: { type: "string" } } as const;

export const limitOf = (values: Values): number => wholeNumber(required(values, "limit"), "limit");

/** A page of a list, newest first. `rows` has one row more than the page if there are older ones. */
export function describePage(rows: readonly Row[], most: number, id: string): Result {
  const items = rows.slice(0, most);
  if (rows.length === items.length) return { items };
  const next = `${items.at(-1)![id]}`;
  return {
    items,
    object: { next },
    notice: `These are the newest ${most}. For older ones, repeat the command with --after ${next}`,
  };
}

/** States in one line whose money a withdrawal is and where it goes. */
export const withdrawalText = ({ id, public_id, name, amount, iban }: SqlRow): string =>
  `wd_${id}: ${sarOf(amount)} of ${isolate(name)} (${public_id}) to ${iban}`;

/** States in one line whose money a deposit is. */
export const depositText = ({ id, public_id, name, amount, bank_reference }: SqlRow): string =>
  `dep_${id}: ${sarOf(amount)} for ${isolate(name)} (${public_id}), bank reference ${
    isolate(bank_reference)
  }`;

/** The members of a result about a withdrawal. */
export const describeWithdrawal = ({ id, public_id, name, amount, iban }: SqlRow): Row => ({
  withdrawal_id: `wd_${id}`,
  client_id: public_id,
  name,
  amount_sar: formatHalalas(BigInt(amount)),
  iban,
});

/** The members of a result about a deposit. */
export const describeDeposit = ({ id, public_id, name, amount, bank_reference }: SqlRow): Row => ({
  deposit_id: `dep_${id}`,
  client_id: public_id,
  name,
  amount_sar: formatHalalas(BigInt(amount)),
  bank_reference,
});

/** Returns the UUID of a batch of payments, by its id or a unique end of it. `@last` is the newest. */
export async function batchOf(query: Query, text: string): Promise<string> {
  const end = text === LAST ? null : /^…?([0-9a-f-]{3,12})$/.exec(text)?.[1];
  if (end === undefined) return uuidOf("batch", "", text);
  const [found, ...others] = await query`
    select batch_id from gold.withdrawal_overview where batch_id is not null
      and (${end}::text is null or batch_id::text like '%' || ${end})
    group by batch_id order by max(status_at) desc limit 2`;
  if (found && (end === null || others.length === 0)) return found.batch_id;
  throw new Failure(
    EXIT.refused,
    found ? "ambiguous" : "not_found",
    end === null ? "There is no batch yet." : `${text} matches ${found ? "more than one" : "no"} batch.`,
  );
}

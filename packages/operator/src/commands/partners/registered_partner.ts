import { isolate } from "@gold-partner/command-line";
import type { Row } from "postgres";
import type { Invocation, Result } from "../../command.ts";
import { EXIT, Failure } from "../../failure.ts";

/** Finds a registered partner: a row of gold.partner_overview, with quantities as text. */
export async function findPartner(query: Invocation["query"], id: string): Promise<Row> {
  const [partner] = await query`
    select *, maximum_grams::text, maximum_open_grams::text, sar_available::text, sar_held::text, gold::text from gold.partner_overview where public_id = ${id}`;
  if (partner) return partner;
  throw new Failure(EXIT.refused, "not_found", `There is no partner ${id}.`);
}

const SHARERS_NAMED = 3;

/**
 * Names the active partners, other than this one, that have this IBAN. Undefined if there is none. Two
 * partners may share an account, but more often one of the IBANs is a mistake.
 */
export async function sharersOf(
  query: Invocation["query"],
  iban: string,
  clientId: string,
): Promise<string | undefined> {
  const rows = await query`
    select name, public_id from gold.partner_overview
    where iban = ${iban} and public_id <> ${clientId} and suspended_at is null order by id`;
  const named = rows.slice(0, SHARERS_NAMED).map(({ name, public_id }) => `${isolate(name)} (${public_id})`)
    .join(
      ", ",
    );
  return rows.length > SHARERS_NAMED
    ? `${named} and ${rows.length - SHARERS_NAMED} more`
    : named || undefined;
}

export const sharedIbanText = (iban: unknown, sharers: unknown): string =>
  `The IBAN ${iban} also belongs to ${sharers}.`;

/**
 * Returns a function that warns on standard error if another active partner has this IBAN. The warning of a
 * proposal says it already. Reads before the change, so that no lost connection hides the result of the change.
 */
export async function openIbanWarning(
  { query, progress }: Invocation,
  iban: string,
  clientId: string,
): Promise<(made: Result) => void> {
  const sharers = await sharersOf(query, iban, clientId);
  return ({ object }) => {
    if (sharers && object?.proposal_id === undefined) progress(sharedIbanText(iban, sharers));
  };
}

import { isolate } from "@gold-partner/command-line";
import type { Query } from "../../query.ts";
import { type ChangeKind, CHANGES } from "@gold-partner/approvals";
import { formatGrams, formatHalalas } from "@gold-partner/protocol";
import type { Invocation, Row } from "../../command.ts";
import { EXIT, Failure, usage } from "../../failure.ts";
import { sharedIbanText, sharersOf } from "../partners/registered_partner.ts";
import type { PriceChange } from "../prices/price_change.ts";

type Content = Readonly<Record<string, unknown>>;

/** Something unusual about a change. A person who approves the change types a value of it. */
export interface Warning extends Row {
  readonly warning: string;
  /** What the person types. */
  readonly type: string;
  /** What this value is, such as "the amount". */
  readonly what: string;
}

type Check = (content: Content, query: Query) => Promise<readonly Warning[]>;

/** An amount is unusual above this multiple of the median of the last ones. */
const UNUSUAL_FACTOR = 3n;
const COMPARED = 20;
/**
 * With fewer earlier amounts, only SLIP_FACTOR times the median is unusual, such as an amount with an extra
 * zero.
 */
const COMPARED_MIN = 4;
const SLIP_FACTOR = 10n;
/** A range of addresses with fewer bits lets a whole provider in. */
const PREFIX_MIN = { v4: 16, v6: 32 };

const CHECKS: Partial<Record<ChangeKind, readonly Check[]>> = {
  "price.set": [checkSpread, checkSource],
  "market.set": [checkMarket],
  "deposit.record": [checkDeposit, checkTwin],
  "payment.submit": [checkPayments],
  "vault.add": [checkBar],
  "partner.create": [checkName, checkIban, checkRanges, checkWebhook],
  "partner.set": [checkName, checkRanges, checkWebhook, checkLimits],
  "endpoint.add": [checkWebhook],
  "endpoint.set": [checkWebhook],
  "partner.iban": [checkIban],
  "deployment.payout": [checkPayout],
};

/** Returns what a person should notice about a change before it is approved. `price` is its new price, if any. */
export async function readWarnings(
  kind: string,
  content: Content,
  query: Query,
  id: string | null,
  price: PriceChange | undefined,
): Promise<readonly Warning[]> {
  const checks = Object.hasOwn(CHECKS, kind) ? CHECKS[kind as ChangeKind]! : [];
  const found = price?.isOutsideBand ? [priceWarning(price)] : [];
  for (const check of checks) found.push(...await check(content, query));
  found.push(...await checkCrossing(kind, content, query, id));
  // Several payments can have the same fault, which a person names once.
  return [...new Map(found.map((one) => [one.warning, one])).values()];
}

/**
 * Returns the warnings whose values the person must type, because --expect gives none. Throws if a value of
 * --expect belongs to nothing of the proposal, or if one is missing and nobody can type it.
 */
export function untypedWarnings(
  { askText }: Invocation,
  warnings: readonly Warning[],
  expected: readonly string[],
  price: PriceChange | undefined,
): readonly Warning[] {
  const values = [...warnings.map(({ type }) => type), ...(price ? [price.price] : [])];
  const strange = expected.find((given) => !values.some((value) => isSame(value, given)));
  if (strange !== undefined) {
    throw new Failure(
      EXIT.refused,
      "refused",
      `--expect ${strange} is not a value that this proposal asks for${
        values.length > 0 ? `: ${values.join(", ")}` : ""
      }. Nothing was done.`,
    );
  }
  const untyped = warnings.filter(({ type }) => !expected.some((given) => isSame(type, given)));
  const [first] = untyped;
  if (!first || askText) return untyped;
  throw usage(`--expect is missing. ${first.warning} If this is right, give ${first.what} with --expect.`);
}

/** Asks the person to type the value of each warning. The last question is also that of the approval. */
export async function askForValues(
  { askText }: Invocation,
  warnings: readonly Warning[],
  question: string,
): Promise<void> {
  for (const [index, { warning, type, what }] of warnings.entries()) {
    const asked = index === warnings.length - 1 ? `${question} ` : "";
    const typed = await askText!(`${asked}${warning} If this is right, type ${what}:`);
    if (isSame(type, typed)) continue;
    throw new Failure(
      EXIT.refused,
      "refused",
      `You typed ${typed || "nothing"}, and ${what} is ${type}. Nothing was done.`,
    );
  }
}

/** 322.00 and 322 are the same number. */
const isSame = (value: string, given: string): boolean =>
  value === given || DECIMAL.test(given) && value === trim(given);
const DECIMAL = /^\d+\.\d+$/;
const trim = (decimal: string): string => decimal.replace(/\.?0+$/, "");

const endOf = (text: string): string => text.slice(-4);
const ibanWarning = (warning: string, iban: string): Warning => ({
  ...{ warning, type: endOf(iban), what: "the last four characters of the IBAN" },
});
const amountWarning = (warning: string, halalas: unknown): Warning => ({
  ...{ warning, type: formatHalalas(BigInt(halalas as string)), what: "the amount in SAR" },
});
const partnerWarning = (warning: string, clientId: string): Warning => ({
  ...{ warning, type: endOf(clientId), what: "the last four characters of the partner's id" },
});

/** The warning of a price that leaves the price band. */
const priceWarning = ({ price, sentence }: PriceChange): Warning => ({
  ...{ warning: `${sentence} Compare it with a price screen.`, type: price, what: "the new mid price" },
});

async function checkSpread(
  { spread_basis_points: spread }: Content,
  query: Query,
): Promise<readonly Warning[]> {
  if (typeof spread !== "number") return [];
  const [today] = await query`select spread_basis_points as spread from gold.current_price`;
  if (!today || spread <= 3 * today.spread && today.spread <= 3 * spread) return [];
  const warning = `The spread changes from ${today.spread} to ${spread} basis points.`;
  return [{ warning, type: `${spread}`, what: "the new spread in basis points" }];
}

/** Another source decides every price from then on. */
async function checkSource({ url }: Content, query: Query): Promise<readonly Warning[]> {
  const [today] = await query`select url from gold.current_price`;
  if (typeof url !== "string" || url === today?.url) return [];
  const { host } = new URL(url);
  return [{
    warning: `The prices come from ${host} from now on.`,
    type: host,
    what: "the host of the source",
  }];
}

async function checkMarket(content: Content, query: Query): Promise<readonly Warning[]> {
  const [today] = await query`
    select e.maximum_exposure::text as exposure, p.halt_basis_points, p.band_basis_points, p.band_hour_basis_points
    from gold.exposure_overview e, gold.current_price p`;
  const { exposure } = content;
  const warnings: Warning[] = [];
  if (today?.exposure && "exposure" in content && isUnusual(exposure as string | null, today.exposure)) {
    const text = exposure === null ? "unlimited" : formatGrams(BigInt(exposure as string));
    const before = formatGrams(BigInt(today.exposure));
    warnings.push({
      warning: `The limit of the exposure grows from ${before} g to ${
        exposure === null ? text : `${text} g`
      }.`,
      ...{ type: text, what: "the new limit in grams" },
    });
  }
  const widths = [["step", today?.band_basis_points], ["hour", today?.band_hour_basis_points]] as const;
  for (const [name, before] of widths) {
    const given = (content.band as Content | undefined)?.[`${name}_basis_points`];
    if (typeof given !== "number" || typeof before !== "number" || given <= 3 * before) continue;
    warnings.push({
      warning: `The price band grows from ${before} to ${given} basis points (${name}).`,
      ...{ type: `${given}`, what: "the new band in basis points" },
    });
  }
  for (const name of ["breaker", "band"]) {
    const given = content[name] as Content | undefined;
    const ends = given && Object.values(given).every((value) => value === null);
    if (ends && today?.[name === "band" ? "band_basis_points" : "halt_basis_points"]) {
      warnings.push({
        warning: `The market has no ${name} any more.`,
        ...{ type: `no ${name}`, what: `the words no ${name}` },
      });
    }
  }
  return warnings;
}

/** Whether a limit is removed, or more than three times as high as before. */
const isUnusual = (value: string | number | null, before: string | number): boolean =>
  value === null || BigInt(value) > UNUSUAL_FACTOR * BigInt(before);

function medianOf(values: readonly string[]): bigint | undefined {
  const sorted = values.map(BigInt).sort((a, b) => (a < b ? -1 : a > b ? 1 : 0));
  return sorted[(sorted.length - 1) >> 1];
}

function compareAmount(
  amount: unknown,
  [one, of]: readonly [one: string, of: string],
  last: readonly string[],
  isKnown = last.length >= COMPARED_MIN,
): readonly Warning[] {
  const halalas = BigInt(amount as string);
  const median = medianOf(last);
  if (
    median === undefined || (isKnown ? halalas <= UNUSUAL_FACTOR * median : halalas < SLIP_FACTOR * median)
  ) {
    return [];
  }
  const warning =
    `${formatHalalas(halalas)} SAR is ${isKnown ? "more than three" : "at least ten"} times the ` +
    `median of the last ${last.length === 1 ? one : `${last.length} ${one}s`} of ${of}, ${
      formatHalalas(median)
    } SAR.`;
  return [amountWarning(warning, amount)];
}

async function checkDeposit({ client_id, amount }: Content, query: Query): Promise<readonly Warning[]> {
  const rows = await query`
    select amount::text from gold.deposit_overview where public_id = ${client_id as string} and status = 'approved'
    order by recorded_at desc limit ${COMPARED}`;
  // A partner's first deposit is compared with those of all partners.
  const compared = rows.length > 0 ? rows : await query`
    select amount::text from gold.deposit_overview where status = 'approved' order by recorded_at desc limit ${COMPARED}`;
  const [partner] = await query`
    select name, suspended_at from gold.partner_overview where public_id = ${client_id as string}`;
  const name = partner?.name ?? client_id;
  const unusual = [
    ...(partner?.suspended_at ? [`${isolate(name)} is suspended.`] : []),
    ...(rows.length > 0
      ? []
      : [`This is the first deposit of ${isolate(name)}. Compare the sender on the bank's statement.`]),
  ].join(" ");
  return [
    ...compareAmount(
      amount,
      ["deposit", rows.length > 0 ? isolate(name) : "all partners"],
      compared.map((row) => row.amount),
      rows.length >= COMPARED_MIN,
    ),
    ...(unusual ? [partnerWarning(unusual, client_id as string)] : []),
  ];
}

/** The same amount within a day may be one payment that was recorded twice, or for the wrong partner. */
async function checkTwin({ amount }: Content, query: Query): Promise<readonly Warning[]> {
  const [twin] = await query`
    select p.name, p.public_id, d.bank_reference
    from gold.deposit_overview d join gold.partner_overview p using (public_id)
    where d.amount = ${amount as string}::text::bigint and d.status <> 'reversed'
      and d.recorded_at > clock_timestamp() - interval '24 hours'
    order by d.recorded_at desc limit 1`;
  if (!twin) return [];
  const warning =
    `The same amount was recorded for ${
      isolate(twin.name)
    } (${twin.public_id}) within a day, with the reference ` +
    `${isolate(twin.bank_reference)}.`;
  return [amountWarning(warning, amount)];
}

interface Payment {
  readonly client_id: string;
  readonly amount: string;
  readonly iban: string;
}

async function checkPayments({ payments }: Content, query: Query): Promise<readonly Warning[]> {
  const warnings: Warning[] = [];
  for (const { client_id, amount, iban } of payments as readonly Payment[]) {
    const rows = await query`
      select amount::text from gold.withdrawal_overview
      where public_id = ${client_id} and status in ('submitted', 'paid')
      order by created_at desc limit ${COMPARED}`;
    const [partner] = await query`
      select name, greatest(iban_changed_at, created_at) > clock_timestamp() - interval '24 hours' as is_young
      from gold.partner_overview where public_id = ${client_id}`;
    const name = partner?.name ?? client_id;
    warnings.push(...compareAmount(amount, ["withdrawal", isolate(name)], rows.map((row) => row.amount)));
    if (partner?.is_young) {
      warnings.push(ibanWarning(`${isolate(name)} has had its IBAN for less than 24 hours.`, iban));
    }
    warnings.push(...await checkIban({ client_id, iban }, query));
  }
  return warnings;
}

async function checkIban({ client_id, iban }: Content, query: Query): Promise<readonly Warning[]> {
  const sharers = await sharersOf(query, iban as string, client_id as string);
  const [payer] = await query`select from gold.deployment_overview where payout_iban = ${iban as string}`;
  return [
    ...(sharers === undefined ? [] : [ibanWarning(sharedIbanText(iban, sharers), iban as string)]),
    ...(payer ? [ibanWarning(`The IBAN ${iban} is the house's own payout account.`, iban as string)] : []),
  ];
}

const SCRIPTS = {
  Latin: /\p{Script=Latin}/u,
  Cyrillic: /\p{Script=Cyrillic}/u,
  Greek: /\p{Script=Greek}/u,
} as const;

/** Warns of a name with letters of more than one of these scripts, in which letters look the same. */
function checkLetters(name: string): readonly Warning[] {
  const scripts = Object.entries(SCRIPTS).flatMap(([script, letter]) => letter.test(name) ? [script] : []);
  const [, other] = scripts;
  if (other === undefined || !scripts.includes("Latin")) return [];
  const letters = [...name].filter((one) => SCRIPTS[other as keyof typeof SCRIPTS].test(one)).join(" ");
  const warning = `The name ${isolate(name)} mixes Latin and ${other} letters, which can look the same: ${
    isolate(letters)
  } is ${other}.`;
  return [{ warning, type: other, what: "the name of the other script" }];
}

async function checkName({ client_id, name }: Content, query: Query): Promise<readonly Warning[]> {
  if (typeof name !== "string") return [];
  const [same] = await query`
    select public_id from gold.partner_overview
    where lower(name) = lower(${name}) and public_id <> ${client_id as string} limit 1`;
  return [
    ...checkLetters(name),
    ...(same
      ? [
        partnerWarning(
          `Another partner has the name ${isolate(name)}, too: ${same.public_id}.`,
          client_id as string,
        ),
      ]
      : []),
  ];
}

function checkRanges({ client_id, ips }: Content): Promise<readonly Warning[]> {
  const wide = ((ips ?? []) as readonly string[]).find((range) =>
    Number(range.split("/")[1]) < (range.includes(":") ? PREFIX_MIN.v6 : PREFIX_MIN.v4)
  );
  return Promise.resolve(
    wide === undefined
      ? []
      : [{ warning: `The range ${wide} of ${client_id} is very wide.`, type: wide, what: "the range" }],
  );
}

/** A receiver that two partners share sees the trades of both. */
async function checkWebhook(
  { client_id, webhook_url, url = webhook_url }: Content,
  query: Query,
): Promise<readonly Warning[]> {
  if (typeof url !== "string") return [];
  const { host } = new URL(url);
  const rows = await query`
    select p.name, n.url from gold.endpoint_overview n join gold.partner_overview p using (public_id)
    where public_id <> ${client_id as string}`;
  const sharer = rows.find((row) => new URL(row.url).host === host);
  return sharer
    ? [{
      warning: `Webhooks of ${isolate(sharer.name)} also go to ${host}.`,
      type: host,
      what: "the host of the webhook",
    }]
    : [];
}

const LIMIT_COLUMNS = {
  open_quotes: "maximum_open_quotes",
  open_grams: "maximum_open_grams",
  daily_records: "maximum_daily_records",
  net_grams: "maximum_net_grams",
  daily_withdrawals: "maximum_daily_withdrawals",
  daily_withdrawn: "maximum_daily_withdrawn",
} as const;

async function checkLimits(
  { client_id, limits, ...terms }: Content,
  query: Query,
): Promise<readonly Warning[]> {
  const [today] = await query`
    select *, maximum_grams::text, maximum_open_grams::text, maximum_net_grams::text, maximum_daily_withdrawn::text
    from gold.partner_overview where public_id = ${client_id as string}`;
  if (!today) return [];
  const given = Object.entries((limits ?? {}) as Content).map(([name, value]) =>
    [name, value, today[LIMIT_COLUMNS[name as keyof typeof LIMIT_COLUMNS]]] as const
  );
  const others = ["rate_per_second", "burst", "maximum_grams"].flatMap((name) =>
    terms[name] === undefined ? [] : [[name, terms[name], today[name]] as const]
  );
  return [...given, ...others].flatMap(([name, value, before]) =>
    before !== null && before !== undefined && isUnusual(value as string | number | null, before)
      ? [partnerWarning(
        value === null
          ? `${isolate(today.name)} has no limit ${name} any more.`
          : `The limit ${name} of ${isolate(today.name)} becomes more than three times as high.`,
        client_id as string,
      )]
      : []
  );
}

async function checkBar({ gross }: Content, query: Query): Promise<readonly Warning[]> {
  const rows = await query`
    select gross::text from gold.bar_overview where removed_at is null order by added_at desc limit ${COMPARED}`;
  const weight = BigInt(gross as string);
  const median = medianOf(rows.map((row) => row.gross));
  if (median === undefined || rows.length < COMPARED_MIN || weight <= UNUSUAL_FACTOR * median) return [];
  return [{
    warning: `The bar weighs ${formatGrams(weight)} g, more than three times the median of the last bars, ${
      formatGrams(median)
    } g.`,
    ...{ type: formatGrams(weight), what: "the weight in grams" },
  }];
}

async function checkPayout({ name, iban }: Content, query: Query): Promise<readonly Warning[]> {
  const [partner] =
    await query`select name, public_id from gold.partner_overview where iban = ${iban as string} limit 1`;
  return [
    ...checkLetters(name as string),
    ...(partner
      ? [
        ibanWarning(
          `The IBAN ${iban} belongs to the partner ${isolate(partner.name)} (${partner.public_id}).`,
          iban as string,
        ),
      ]
      : []),
  ];
}

/**
 * Finds the newest approval of a change of the same values since a proposal was made. The database then refuses to
 * approve the proposal.
 */
export async function findNewer(
  kind: string,
  content: Content,
  query: Query,
  proposedAt: Date,
): Promise<string | undefined> {
  if (!Object.hasOwn(CHANGES, kind) || !("replaces" in CHANGES[kind as ChangeKind])) return undefined;
  const [newer] = await query`
    select id::text, decided_at from gold.proposal_overview
    where status = 'approved' and kind = ${kind} and decided_at > ${proposedAt.toISOString()}::text::timestamptz
      and (content->>'client_id') is not distinct from ${(content.client_id ?? null) as string | null}::text
    order by decided_at desc limit 1`;
  return newer &&
    `This proposal is outdated: another change of the same values was approved at ${newer.decided_at.toISOString()} ` +
      `(proposal ${newer.id}). It cannot be approved. Reject it, and propose the change again if it is still right.`;
}

/** Another proposal that waits and changes the same. Whichever is approved last decides. */
async function checkCrossing(
  kind: string,
  content: Content,
  query: Query,
  id: string | null,
): Promise<readonly Warning[]> {
  if (!Object.hasOwn(CHANGES, kind) || !("replaces" in CHANGES[kind as ChangeKind])) return [];
  const subject = content.client_id ?? null;
  const rows = await query`
    select id::text, proposer from gold.proposal_overview p
    where status = 'pending' and kind = ${kind} and id is distinct from ${id}::text::uuid and content is not null
      and (content->>'client_id') is not distinct from ${subject as string | null}::text
      and not exists (
        select from gold.proposal_overview n where n.status = 'approved' and n.kind = p.kind
          and n.decided_at > p.proposed_at
          and (n.content->>'client_id') is not distinct from (p.content->>'client_id'))
    order by id limit 1`;
  return rows.map((row) => ({
    warning: `Another proposal of the same kind${
      subject === null ? "" : ` for ${subject}`
    } waits, by ${row.proposer}: ${row.id}.`,
    type: endOf(row.id),
    what: "the last four characters of that proposal's id",
  }));
}

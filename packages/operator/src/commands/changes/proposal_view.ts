import { createHash } from "node:crypto";
import { isolate } from "@gold-partner/command-line";
import type { Query } from "../../query.ts";
import type { ChangeKind } from "@gold-partner/approvals";
import type { Row } from "../../command.ts";
import { EXIT, Failure } from "../../failure.ts";
import { instantOf } from "../../output.ts";
import { ASKED_OVER_API } from "./answered_request.ts";
import { describeDetail } from "../books/audit_detail.ts";
import { findDeposit, findWithdrawal, sarOf } from "../money/money_rows.ts";
import { type PriceChange, readPriceChange } from "../prices/price_change.ts";
import { percentOf, unitOf, wordsOf } from "./summary.ts";
import { readWarnings, type Warning } from "./warnings.ts";
import { findPartner } from "../partners/registered_partner.ts";

type Content = Readonly<Record<string, unknown>>;

interface Kind {
  /**
   * What the approval does, in a few sentences. About money, they name the partner, the amount, the IBAN and
   * how to undo it.
   */
  readonly consequences: (content: Content, today: Content) => string;
  /**
   * The present values of the content's members, and what else is in use today; absent if the change only
   * adds something.
   */
  readonly today?: (content: Content, query: Query) => Promise<Content>;
  /** The members to show, if they are not those of the content. */
  readonly shown?: (content: Content) => Content;
}

/** What `gold proposal` says about each kind of change. */
const KINDS: Readonly<Record<ChangeKind, Kind>> = {
  "partner.create": {
    consequences: ({ name, client_id, iban }) =>
      `${
        isolate(name)
      } becomes the partner ${client_id}. It can trade and withdraw to ${iban} as soon as it has a certificate. To stop it, run \`gold partner suspend ${client_id}\`.`,
  },
  "partner.set": {
    consequences: (content, today) =>
      [
        `The terms of ${isolate(content.name ?? content.client_id)} change at once.`,
        ...rangeChanges(content, today),
        ...(isChanged("webhook_url", content, today) ? ["Webhooks go to the new URL."] : []),
      ].join(" "),
    today: partnerToday,
  },
  "partner.iban": {
    consequences: ({ client_id, iban }, { name, iban: before }) =>
      `New withdrawals of ${
        isolate(name)
      } (${client_id}) go to ${iban}. Its payouts are held for 24 hours. Confirm the IBAN with the partner over another channel.${
        before === iban
          ? ""
          : ` Today, they go to ${before}: \`gold partner set ${client_id} --iban ${before}\` sets it back.`
      }`,
    today: (content, query) => partnerToday({ ...content, name: null }, query),
  },
  "partner.resume": {
    consequences: ({ client_id }) => `The service accepts the calls of ${client_id} again.`,
    today: async ({ client_id }, query) => {
      const { suspended_at } = await findPartner(query, client_id as string);
      return { client_id, suspended_at: suspended_at?.toISOString() ?? null };
    },
  },
  "certificate.issue": {
    consequences: ({ client_id }) =>
      `The service accepts connections with this certificate as ${client_id}. Confirm its key with the partner over another channel.`,
    today: inUse("certificate"),
  },
  "signing_key.add": {
    consequences: ({ client_id }) =>
      `The service accepts orders and withdrawals of ${client_id} that are signed with this key. Confirm the thumbprint with the partner over another channel.`,
    today: inUse("signing_key"),
  },
  "client_secret.rotate": {
    consequences: ({ client_id, overlap_seconds }) =>
      `${client_id} gets a new client secret. The older ones retire ${overlap_seconds} s after the approval. ${TO_PROPOSER}`,
    today: inUse("client_secret"),
  },
  "webhook_secret.rotate": {
    consequences: ({ client_id, endpoint = 1, overlap_seconds }) =>
      `The webhooks of ${client_id} to its endpoint ${endpoint} are signed with a new secret. ` +
      `The older ones retire ${overlap_seconds} s after the approval. ${TO_PROPOSER}`,
    today: inUse("webhook_secret"),
  },
  "endpoint.add": {
    consequences: ({ client_id, url }) =>
      `Webhooks of ${client_id} also go to ${url}. Confirm the URL with the partner over another channel. ${TO_PROPOSER}`,
    today: endpointsToday,
  },
  "endpoint.set": {
    consequences: ({ client_id, endpoint, url, types }) =>
      [
        `The webhook endpoint ${endpoint} of ${client_id} changes at once.`,
        ...(url ? [`Its webhooks go to ${url}.`] : []),
        ...(types ? [`It gets ${eventsOf(types as string[])}.`] : []),
      ].join(" "),
    today: endpointsToday,
  },
  "endpoint.remove": {
    consequences: ({ client_id, endpoint }) =>
      `The webhook endpoint ${endpoint} of ${client_id} gets no events any more, not even those that wait.`,
    today: endpointsToday,
  },
  "price.set": {
    consequences: (content, today) =>
      [
        "The next quotes of all partners use this price, this source and these market hours.",
        sourceChange(content, today),
        hoursChange(content, today),
      ]
        .filter((text) => text !== "").join(" "),
    today: priceToday,
  },
  "market.set": {
    consequences: () =>
      "The limit on the exposure of a day, the circuit breaker and the price band change at once for all partners.",
    today: marketToday,
  },
  "market.open": {
    consequences: () =>
      "Quotes are made again, at the current price, although the circuit breaker closed the market.",
    today: async (_, query) => {
      const [row] = await query`select halted_at, mid::text from gold.current_price`;
      return { halted_at: row?.halted_at?.toISOString() ?? null, mid: row?.mid ?? null };
    },
  },
  "authority.add": {
    consequences: () =>
      "The proxy accepts every certificate that this authority signs, and new certificates are signed by it.",
    today: inUse("authority"),
  },
  "token_key.rotate": {
    consequences: ({ lead_seconds, overlap_seconds }) =>
      `Access tokens are signed with this key ${lead_seconds} s after the approval. Tokens of older keys are refused ${overlap_seconds} s later.`,
    today: inUse("token_key"),
  },
  "sealing_key.rotate": {
    consequences: ({ sealing_key }) =>
      `Webhook secrets and token keys are stored as encrypted with the key ${sealing_key}. A wrong key makes them unreadable.`,
    today: async (_, query) => {
      const rows = await query`
        select sealing_key, count(*)::int as secrets from gold.read_sealed() group by 1 order by 1`;
      return { sealing_key: rows.map((row) => `${row.sealing_key} (${row.secrets} secrets)`).join(", ") };
    },
  },
  "pepper.rotate": {
    consequences: () =>
      "When the service starts again, the client secrets that were made with another pepper stop working. Each partner then needs a new one.",
    today: async (_, query) => ({ pepper: (await deploymentToday(query)).pepper_name ?? null }),
  },
  "vault.add": {
    consequences: () => "The books have the bar's fine gold, and partners can buy it.",
  },
  "vault.remove": {
    consequences: ({ serial }) => `The books no longer have the gold of the bar ${serial}.`,
    today: async ({ serial }, query) => {
      const [bar] = await query`
        select serial, refiner, vault_name, gross::text, fineness, fine::text from gold.bar_overview where serial = ${serial as string}`;
      return { ...bar };
    },
  },
  "deposit.record": {
    consequences: ({ client_id, amount, bank_reference }, { name }) =>
      `${sarOf(amount)} become available to ${
        isolate(name)
      } (${client_id}), which can spend and withdraw them at once. Check that the bank's statement shows the payment with the reference ${
        isolate(bank_reference)
      }. Until they are spent, \`gold deposit reverse DEP\` takes them back.`,
    today: async ({ client_id }, query) => {
      const { name } = await findPartner(query, client_id as string);
      return { client_id, name };
    },
  },
  "deposit.reverse": {
    consequences: (_, { deposit, amount, name, public_id }) =>
      `${sarOf(amount)} of dep_${deposit} are taken back from ${
        isolate(name)
      } (${public_id}). Check that the bank's statement lacks the payment, or shows that the bank took it back. To book it again, run \`gold deposit record\`.`,
    today: async ({ deposit }, query) => {
      const { public_id, name, amount, bank_reference, status } = await findDeposit(query, `dep_${deposit}`);
      return { deposit, public_id, name, amount, bank_reference, status };
    },
  },
  "payment.submit": {
    consequences: ({ batch, payments }) =>
      `The bank gets an order for ${
        paymentsText(payments as readonly Payment[])
      }. Compare each with your own records. Afterwards, \`gold withdrawal submit --out FILE --batch ${batch}\` writes the file for the bank. If the bank refuses or sends back a payment, run \`gold withdrawal returned WD\`.`,
    today: async ({ payments }, query) => {
      const ids = (payments as readonly { withdrawal: string }[]).map(({ withdrawal }) => withdrawal);
      const rows = await query`
        select id as withdrawal, public_id as client_id, name, amount::text, iban, status from gold.withdrawal_overview
        where id = any (${`{${ids.join()}}`}::text::uuid[]) order by id`;
      return { payments: rows };
    },
  },
  "withdrawal.return": {
    consequences: (_, { withdrawal, amount, name, public_id, iban }) =>
      `${sarOf(amount)} of wd_${withdrawal}, which went to ${iban}, become available to ${
        isolate(name)
      } (${public_id}) again, and no command takes them back. If the bank paid them, the partner has the money twice: check that the bank's statement shows the refusal or the return.`,
    today: async ({ withdrawal }, query) => {
      const { public_id, name, amount, iban, status } = await findWithdrawal(query, `wd_${withdrawal}`);
      return { withdrawal, public_id, name, amount, iban, status };
    },
  },
  "day.sign": {
    consequences: ({ day, document }) =>
      `The audit records that two people signed the end of the day ${day}, with the SHA-256 ${
        createHash("sha256").update(`${document}`).digest("hex")
      } of the signed file. Compare its figures and its open points with your own.`,
    shown: ({ day, document }) => ({ ...JSON.parse(document as string), day }),
  },
  "deployment.settle": {
    consequences: () =>
      "Partners sign the base URL, so a new one refuses every request that uses the old one.",
    today: async (content, query) => {
      const row = await deploymentToday(query);
      return Object.fromEntries(Object.keys(content).map((name) => [name, row[name] ?? null]));
    },
  },
  "deployment.payout": {
    consequences: ({ iban }) =>
      `The next payment documents order payments from ${iban}. \`gold db migrate\` with the options of today's account sets it back.`,
    today: async (_, query) => {
      const { payout_name: name, payout_iban: iban, payout_bic: bic } = await deploymentToday(query);
      return { name, iban, bic };
    },
  },
  "deployment.defaults": {
    consequences: () =>
      "Partners that are created from now on get these limits. Existing partners keep theirs.",
    today: async (_, query) => {
      const row = await deploymentToday(query);
      return {
        rate_per_second: row.partner_rate_per_second,
        burst: row.partner_burst,
        limits: limitsOf(row, "partner_"),
      };
    },
  },
  "recovery.accept": {
    consequences: () =>
      "The service writes again, although these records are lost. Tell each partner which of its events are lost, before it trades.",
  },
  "operator.add": {
    consequences: ({ name, roles }) =>
      `\`gold operator add ${name} --roles ${roles}\` may create this login until the proposal expires. Each login must belong to one person.`,
  },
  "operator.set": {
    consequences: ({ name, roles }) =>
      `\`gold operator set ${name} --roles ${roles}\` may give the login these roles until the proposal expires.`,
    today: async ({ name }, query) => {
      const [row] =
        await query`select login as name, roles from gold.operator_overview where login = ${name as string}`;
      return { ...row };
    },
  },
  "operator.remove": {
    consequences: ({ name }) =>
      `\`gold operator remove ${name}\` may remove this login until the proposal expires.`,
    today: async ({ name }, query) => {
      const [row] = await query`
        select login as name, roles, last_change_at from gold.operator_overview where login = ${name as string}`;
      return { ...row };
    },
  },
  "operator_key.add": {
    consequences: ({ login }) =>
      `${login} signs proposals and approvals with this key. Confirm the key with this person over another channel.`,
    today: async ({ login }, query) => {
      const rows = await query`
        select public_key from gold.operator_key_overview where login = ${login as string} and ended_at is null
        order by added_at`;
      return { login, public_key: rows.map(({ public_key }) => public_key).join(", ") || null };
    },
  },
  "registry.adopt": {
    consequences: () =>
      "The service, the trust sync and `gold withdrawal submit` accept these rows as signed by two people. Compare each row with your own records.",
  },
  "approval.adopt": {
    consequences: () =>
      "After your approval, these proposals of 0.5.0 and earlier count as signed for this deployment. `gold proposal show` shows each. Compare each with your own records.",
  },
};

const TO_PROPOSER = "Only the person who proposed it can read the secret.";

interface Payment {
  readonly client_id: string;
  readonly amount: string;
  readonly iban: string;
}

/** One payment with its partner and IBAN, or the number and the sum of several. */
function paymentsText(payments: readonly Payment[]): string {
  const total = sarOf(payments.reduce((sum, { amount }) => sum + BigInt(amount), 0n));
  const [first] = payments;
  return payments.length === 1
    ? `one payment of ${total} of ${first!.client_id} to ${first!.iban}`
    : `${payments.length} payments of ${total} together`;
}

interface Described {
  readonly consequences: string;
  /** Undefined unless the change is pending and names a price. */
  readonly priceChange: PriceChange | undefined;
  /** What the person who approves should notice. Empty unless the change is pending. */
  readonly warnings: readonly Warning[];
  /** The members of the content, and of today's values if the content does not have them. */
  readonly differences: readonly Row[];
}

/** Describes a change for the person who proposes or approves it, or looks at it later. */
export async function describeChange(
  kind: string,
  content: Content,
  query: Query,
  { id = null, isPending = true }: { readonly id?: string | null; readonly isPending?: boolean } = {},
): Promise<Described> {
  const today = await kindOf(kind).today?.(content, query) ?? {};
  const priceChange = isPending && kind === "price.set" ? await readPriceChange(content, query) : undefined;
  const consequences = consequencesOf(kind, content, today);
  return {
    consequences: priceChange ? `${priceChange.sentence} ${consequences}` : consequences,
    priceChange,
    warnings: isPending ? await readWarnings(kind, content, query, id, priceChange) : [],
    differences: differencesOf(kindOf(kind).shown?.(content) ?? content, today),
  };
}

export function consequencesOf(kind: string, content: Content, today: Content): string {
  const consequences = kindOf(kind).consequences(content, today);
  return "request" in content
    ? `${ASKED_OVER_API} It is the request ${content.request}. ${consequences}`
    : consequences;
}

/** What a table of differences shows for a value that the change keeps. */
const UNCHANGED = "unchanged";

function differencesOf(content: Content, today: Content): Row[] {
  const names = [...new Set([...Object.keys(content), ...Object.keys(today)])];
  return names.map((name) => {
    const [before, after] = [textOf(name, today), textOf(name, content)];
    const [change, unit] = [percentOf(before, after), unitOf(name)];
    return {
      member: name,
      today: before,
      proposed: name in content ? after : UNCHANGED,
      ...(change === null ? {} : { change }),
      ...(unit === null ? {} : { unit }),
    };
  });
}

function kindOf(kind: string): Kind {
  const known = Object.hasOwn(KINDS, kind) ? KINDS[kind as ChangeKind] : undefined;
  if (known) return known;
  throw new Failure(
    EXIT.dependency,
    "not_migrated",
    `This version of gold does not know proposals of the kind ${kind}. Replace gold with the version of the database.`,
  );
}

/** Quantities are decimals, as in other commands; lists and objects are words. */
function textOf(name: string, values: Content): string | null {
  if (!(name in values)) return null;
  const [value] = Object.values(
    JSON.parse(describeDetail(JSON.stringify({ [name]: values[name] }))) as Content,
  );
  return value === null ? "none" : wordsOf(value);
}

/**
 * The credentials that the partner, or the deployment itself, uses today: name, beginning and planned end.
 */
function inUse(kind: string): NonNullable<Kind["today"]> {
  return async ({ client_id: owner = "house", endpoint = 1 }, query) => {
    const rows = await query`
      select name, not_before, coalesce(retire_at, expires_at) as ends_at from gold.credential_overview
      where kind = ${kind} and owner = ${owner as string} and status in ('active', 'retiring', 'not_yet')
        and coalesce(endpoint, ${endpoint as number}) = ${endpoint as number}
      order by not_before, name collate "C"`;
    const spans = rows.map(({ name, not_before, ends_at }) =>
      `${name} since ${instantOf(not_before)}${ends_at ? ` until ${instantOf(ends_at)}` : ""}`
    );
    return { in_use: spans.join(", ") };
  };
}

async function endpointsToday({ client_id, endpoint }: Content, query: Query): Promise<Content> {
  const rows = await query`
    select number, url, types from gold.endpoint_overview where public_id = ${client_id as string} order by number`;
  const one = rows.find(({ number }) => number === endpoint);
  return one
    ? { endpoint, url: one.url, types: one.types === null ? "all" : `${one.types}` }
    : { endpoints: rows.map(({ number, url }) => `${number}: ${url}`).join(", ") };
}

const eventsOf = (types: readonly string[]): string =>
  types.length === 0 ? "all events" : `only the events ${types.join(", ")}`;

const LIMITS = [
  "open_quotes",
  "open_grams",
  "daily_records",
  "net_grams",
  "daily_withdrawals",
  "daily_withdrawn",
];

const limitsOf = (row: Content, prefix: string): Content =>
  Object.fromEntries(LIMITS.map((name) => [name, row[`${prefix}${name}`] ?? null]));

async function partnerToday({ client_id, ...given }: Content, query: Query): Promise<Content> {
  const row = await findPartner(query, client_id as string);
  const known: Content = { ...row, limits: limitsOf(row, "maximum_") };
  return {
    client_id,
    ...Object.fromEntries(Object.keys(given).map((name) => [name, known[name] ?? null])),
  };
}

const isChanged = (name: string, content: Content, today: Content): boolean =>
  name in content && JSON.stringify(content[name]) !== JSON.stringify(today[name]);

/** Names the ranges that the change adds, and the ranges that it removes. */
function rangeChanges({ ips }: Content, { ips: before }: Content): string[] {
  const known = (before ?? []) as readonly string[];
  const given = (ips ?? known) as readonly string[];
  const added = given.filter((range) => !known.includes(range)).join(", ");
  const ended = known.filter((range) => !given.includes(range)).join(", ");
  return [
    ...(added ? [`${added} is added: calls are accepted from there, too.`] : []),
    ...(ended ? [`Calls are no longer accepted from ${ended}.`] : []),
  ];
}

function sourceChange({ source }: Content, { source: before }: Content): string {
  if (source === undefined || before === undefined || source === before) return "";
  return source === "fixed"
    ? `The price no longer follows the source ${before}: it stays as it is set.`
    : `The price follows the source ${source} from now on, no longer ${before}.`;
}

function hoursChange({ hours }: Content, { hours: before }: Content): string {
  if (hours === undefined || isNever(hours) === isNever(before)) return "";
  return isNever(hours)
    ? "The market closes, and no quotes are made until other hours are set."
    : "The market opens at these hours again.";
}

export const isNever = (hours: unknown): boolean => {
  const { always_open = true, sessions = [] } = (hours ?? {}) as {
    always_open?: boolean;
    sessions?: unknown[];
  };
  return !always_open && sessions.length === 0;
};

async function priceToday(_: Content, query: Query): Promise<Content> {
  const [row] = await query`
    select source, mid::text, spread_basis_points, stale_after_seconds, url, always_open from gold.current_price`;
  if (!row) return {};
  const sessions = await query`
    select day, left(opens::text, 5) as opens, left(closes::text, 5) as closes from gold.market_hours order by day, opens`;
  const { always_open, ...price } = row;
  return { ...price, hours: { always_open, sessions } };
}

async function marketToday(content: Content, query: Query): Promise<Content> {
  const [row] = await query`
    select jsonb_build_object('basis_points', halt_basis_points, 'seconds', halt_seconds) as breaker,
      jsonb_build_object('step_basis_points', band_basis_points, 'hour_basis_points', band_hour_basis_points) as band
    from gold.current_price`;
  // This view counts all positions, so read it only if it is shown.
  const [limit] = row && "exposure" in content
    ? await query`select maximum_exposure::text as exposure from gold.exposure_overview`
    : [];
  return Object.fromEntries(Object.entries({ ...row, ...limit }).filter(([name]) => name in content));
}

async function deploymentToday(query: Query): Promise<Content> {
  const [row] = await query`
    select *, partner_open_grams::text, partner_net_grams::text, partner_daily_withdrawn::text from gold.deployment_overview`;
  return { ...row };
}

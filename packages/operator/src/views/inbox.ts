import { isolate } from "@gold-partner/command-line";
import type { Query } from "../query.ts";
import { formatHalalas } from "@gold-partner/protocol";
import type { Row } from "../command.ts";
import { summaryOf } from "../commands/changes/summary.ts";
import { isAwaited } from "../commands/prices/price_change.ts";
import { instantOf } from "../output.ts";
import type { ROLES } from "../roles.ts";

type Role = (typeof ROLES)[number];

/** Something that waits for a person, and the command that deals with it. */
export interface InboxItem extends Row {
  readonly waits: string;
  readonly about: string;
  readonly since: string | null;
  readonly next: string;
}

const OTHER_APPROVES = "another person approves";

interface Source {
  /** The roles that may read it. Undefined: all. */
  readonly roles?: readonly Role[];
  readonly read: (query: Query, most: number) => Promise<readonly InboxItem[]>;
  /** The command that lists all. Undefined if a partner has at most a few. */
  readonly list?: string;
}

/**
 * The inbox shows the oldest items of each kind, up to this number. More would slow down every console page.
 */
const MOST_OF_A_KIND = 200;

const SOURCES: readonly Source[] = [
  { read: readProposals, list: "gold proposal list --status pending" },
  {
    roles: ["treasury", "credentials", "pricing", "audit"],
    read: readWithdrawals,
    list: "gold withdrawal list",
  },
  { roles: ["treasury", "audit"], read: readDeposits, list: "gold deposit list --status recorded" },
  { roles: ["treasury", "credentials", "audit"], read: readIbans },
  { roles: ["credentials", "audit"], read: readChanges },
  { roles: ["treasury", "credentials", "audit"], read: readEndpoints },
  { read: readMarket },
];

/** Reads what waits for a person, as far as the roles of the login may see it. */
export async function readInbox(query: Query): Promise<readonly InboxItem[]> {
  const [row] = await query`
    select array(
      select r from unnest('{treasury,credentials,pricing,keys,audit}'::text[]) r
      where pg_has_role('gold_' || r, 'usage')
    ) as roles`;
  const roles: readonly Role[] = row!.roles;
  const mine = SOURCES.filter(({ roles: allowed }) =>
    !allowed || allowed.some((role) => roles.includes(role))
  );
  return (await Promise.all(mine.map(async ({ read, list }) => {
    const items = await read(query, MOST_OF_A_KIND + 1);
    return list === undefined ? items : shorten(items, list);
  }))).flat();
}

/**
 * Replaces the items of a kind above MOST_OF_A_KIND with a line that names the command for the whole list.
 */
function shorten(items: readonly InboxItem[], list: string): readonly InboxItem[] {
  const counts = new Map<string, number>();
  return items.map((item) => {
    const count = (counts.get(item.waits) ?? 0) + 1;
    counts.set(item.waits, count);
    return count <= MOST_OF_A_KIND ? item : { ...item, about: "more of these wait", next: list };
  });
}

async function readProposals(query: Query, most: number): Promise<InboxItem[]> {
  const rows = await query`
    select id, kind, content, proposer, proposed_at, proposer = session_user as own from gold.proposal_overview
    where status = 'pending' order by id limit ${most}`;
  return rows.map(({ id, kind, content, proposer, proposed_at, own }) => ({
    waits: "proposal",
    about: [kind, summaryOf(content), "by", own ? "you" : proposer].filter((text) => text !== "").join(" "),
    since: instantOf(proposed_at),
    next: own
      ? OTHER_APPROVES
      : content
      ? `gold proposal approve ${id}`
      : "a person with the role of its kind approves",
  }));
}

async function readWithdrawals(query: Query, most: number): Promise<InboxItem[]> {
  const rows = await query`
    select w.id, w.name, w.amount::text, w.status, w.status_at, w.status_by = session_user as own, exists (
      select from gold.proposal_overview l
      where l.status = 'pending' and l.kind = 'payment.submit' and strpos(l.content::text, w.id::text) > 0
    ) as proposed
    from (
      select o.*, row_number() over (partition by status order by created_at, id) as place from gold.open_withdrawals() o
    ) w where w.place <= ${most} order by w.created_at, w.id`;
  return rows.map(({ id, name, amount, status, status_at, own, proposed }) => ({
    waits: `withdrawal, ${status.replace("_", " ")}`,
    about: `${formatHalalas(BigInt(amount))} SAR of ${isolate(name)}`,
    since: instantOf(status_at),
    next: NEXT_OF_WITHDRAWAL[status]?.(`wd_${id}`) ?? nextOfApproved(own, proposed),
  }));
}

const NEXT_OF_WITHDRAWAL: Readonly<Record<string, (id: string) => string>> = {
  pending_approval: (id) => `gold withdrawal approve ${id}`,
  submitted: (id) => `gold withdrawal paid ${id}`,
};

function nextOfApproved(isOwn: boolean, isProposed: boolean): string {
  if (isProposed) return "its payment waits for an approval";
  return isOwn ? "another person submits" : "gold withdrawal submit --out FILE";
}

async function readDeposits(query: Query, most: number): Promise<InboxItem[]> {
  const rows = await query`
    select d.id, p.name, d.amount::text, d.bank_reference, d.recorded_at
    from gold.deposit_overview d join gold.partner_overview p using (public_id)
    where d.status = 'recorded' order by d.recorded_at limit ${most}`;
  return rows.map(({ id, name, amount, bank_reference, recorded_at }) => ({
    waits: "deposit, recorded",
    about: `${formatHalalas(BigInt(amount))} SAR for ${isolate(name)}, ${isolate(bank_reference)}`,
    since: instantOf(recorded_at),
    next: `gold deposit approve dep_${id}`,
  }));
}

async function readIbans(query: Query): Promise<InboxItem[]> {
  const rows = await query`
    select public_id, name, pending_iban_by, pending_iban_at, pending_iban_by = session_user as own
    from gold.partner_overview where pending_iban is not null order by id`;
  return rows.map(({ public_id, name, pending_iban_by, pending_iban_at, own }) => ({
    waits: "new IBAN",
    about: `${isolate(name)}, requested by ${own ? "you" : pending_iban_by}`,
    since: instantOf(pending_iban_at),
    next: own ? OTHER_APPROVES : `gold partner approve-iban ${public_id}`,
  }));
}

/** Requests that are already proposed wait as proposals. */
async function readChanges(query: Query): Promise<InboxItem[]> {
  const rows = await query`
    select id, name, kind, requested_at from gold.change_overview where status = 'requested' order by requested_at`;
  return rows.map(({ id, name, kind, requested_at }) => ({
    waits: "change requested by a partner",
    about: `${kind.replaceAll("_", " ")} of ${isolate(name)}`,
    since: instantOf(requested_at),
    next: `gold change show chg_${id}`,
  }));
}

async function readEndpoints(query: Query): Promise<InboxItem[]> {
  const rows = await query`
    select p.public_id, p.name, n.number, n.disabled_at, n.parked::int
    from gold.endpoint_overview n join gold.partner_overview p using (public_id)
    where n.disabled_at is not null or n.parked > 0 order by p.id, n.number`;
  return rows.map(({ public_id, name, number, disabled_at, parked }) => ({
    waits: disabled_at ? "webhook, disabled" : "webhook, parked events",
    about: `${isolate(name)}, ${number === 1 ? "" : `endpoint ${number}, `}${parked} parked`,
    since: instantOf(disabled_at),
    next: `gold event list ${public_id}${number === 1 ? "" : ` --endpoint ${number}`}`,
  }));
}

async function readMarket(query: Query): Promise<InboxItem[]> {
  const rows = await query`
    select halted_at, source, ticked_at from gold.current_price where halted_at is not null or stale and market_open`;
  return rows.map(({ halted_at, source, ticked_at }) =>
    halted_at
      ? {
        waits: "market, halted",
        about: "the circuit breaker closed the market",
        since: instantOf(halted_at),
        next: "gold market show",
      }
      : {
        waits: "price, stale",
        about: `the source ${source} gives no price, so no quote is given`,
        since: isAwaited(ticked_at) ? null : instantOf(ticked_at),
        next: "gold price show",
      }
  );
}

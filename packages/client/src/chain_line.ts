import { hostBytes } from "@gold-partner/protocol";
import type { AccountEvent } from "./api_types.ts";

/** The three balances of an account in their smallest units: 0.01 SAR and 0.0001 g. */
export interface ChainBalances {
  readonly available: bigint;
  readonly held: bigint;
  readonly gold: bigint;
}

/** One transfer of a record. A line also contains accounts that are not yours, so they have names here. */
export interface ChainLeg {
  readonly debit: keyof typeof ACCOUNTS;
  readonly credit: keyof typeof ACCOUNTS;
  readonly asset: "SAR" | "XAU";
  readonly amount: bigint;
}

/** One member of a line. Its value is undefined if it does not follow from the event. */
export interface LineMember {
  readonly name: string;
  readonly value: string | undefined;
}

/** The parts of a line that follow from its event. */
export interface RecordLine {
  /** The members from the client number on, without the answer and the salt. */
  readonly members: readonly LineMember[];
  readonly legs: readonly ChainLeg[];
  /** The balances after each transfer, in the order of `legs`. */
  readonly after: readonly ChainBalances[];
}

const ACCOUNTS = { bank: 1, available: 2, held: 3, house: 4, bars: 5, vault: 6, gold: 7 } as const;
const ASSETS = { SAR: 1, XAU: 2 } as const;
const SIDES = { buy: 1, sell: 2 } as const;
const STATUSES = [
  "pending_approval",
  "approved",
  "submitted",
  "paid",
  "rejected",
  "returned",
  "cancelled",
] as const;
const TYPES: readonly string[] = [
  ...["order.executed", "funding.completed", "withdrawal.created", "withdrawal.approved"],
  ...["withdrawal.submitted", "withdrawal.paid", "withdrawal.rejected", "withdrawal.returned"],
  ...["funding.reversed", "webhook.test", "credential.expiring", "credential.added", "credential.ended"],
  ...["settlement.changed", "webhook_endpoint.changed", "day.closed", "withdrawal.cancelled"],
];

/**
 * Computes the members of an event's line from the event, and the balances after it. docs/chain.md describes
 * the line.
 *
 * @param event An event of listEvents().
 * @param clientNumber The `client_number` of getChainKey().
 * @param before The balances before the event.
 * @param wasPaid For withdrawal.returned: whether the withdrawal was paid before.
 * @returns Undefined for a type that this version does not know.
 * @example
 * const record = lineMembers(event, client_number, { available: 0n, held: 0n, gold: 0n });
 */
export function lineMembers(
  event: AccountEvent,
  clientNumber: number,
  before: ChainBalances,
  wasPaid = false,
): RecordLine | undefined {
  const type = TYPES.indexOf(event.type) + 1;
  if (type === 0) return undefined;
  const legs = legsOf(event, wasPaid);
  const after: ChainBalances[] = [];
  for (const leg of legs) after.push(balancesAfter(after.at(-1) ?? before, leg));
  const members = [
    member("client_number", clientNumber),
    member("sequence", event.sequence),
    member("type", type),
    member("subject", subjectOf(event)),
    member("created_at", Date.parse(event.created_at)),
    ...legs.flatMap((leg, index) => legMembers(leg, index, after[index]!)),
    ...endOf(event),
  ];
  return { members, legs, after };
}

const member = (name: string, value: string | number | bigint | undefined): LineMember => ({
  name,
  value: value === undefined ? undefined : `${value}`,
});

function legMembers({ debit, credit, asset, amount }: ChainLeg, index: number, after: ChainBalances) {
  const name = (what: string) => `transfer ${index + 1} ${what}`;
  return [
    member(name("leg"), index + 1),
    member(name("debit"), ACCOUNTS[debit]),
    member(name("credit"), ACCOUNTS[credit]),
    member(name("asset"), ASSETS[asset]),
    member(name("amount"), amount),
    member("balance after: available", after.available),
    member("balance after: held", after.held),
    member("balance after: gold", after.gold),
  ];
}

function legsOf(event: AccountEvent, wasPaid: boolean): readonly ChainLeg[] {
  if (event.type === "order.executed") {
    const { side, total_sar: { units: total }, gold_grams: { units: grams } } = event.data.order;
    return side === "buy"
      ? [sar("available", "house", total), { debit: "vault", credit: "gold", asset: "XAU", amount: grams }]
      : [sar("house", "available", total), { debit: "gold", credit: "vault", asset: "XAU", amount: grams }];
  }
  if (event.type === "funding.completed") {
    return [sar("bank", "available", event.data.funding.amount_sar.units)];
  }
  if (event.type === "funding.reversed") {
    return [sar("available", "bank", event.data.funding.amount_sar.units)];
  }
  if (!("withdrawal" in event.data)) return [];
  const { amount_sar: { units }, status } = event.data.withdrawal;
  switch (status) {
    case "pending_approval":
      return [sar("available", "held", units)];
    case "paid":
      return [sar("held", "bank", units)];
    case "rejected":
    case "cancelled":
      return [sar("held", "available", units)];
    case "returned":
      return [sar(wasPaid ? "bank" : "held", "available", units)];
    default:
      return [];
  }
}

const sar = (debit: ChainLeg["debit"], credit: ChainLeg["credit"], amount: bigint): ChainLeg => ({
  ...{ debit, credit, asset: "SAR", amount },
});

function balancesAfter(before: ChainBalances, { debit, credit, amount }: ChainLeg): ChainBalances {
  const change = (account: keyof ChainBalances) =>
    before[account] + (credit === account ? amount : 0n) - (debit === account ? amount : 0n);
  return { available: change("available"), held: change("held"), gold: change("gold") };
}

function subjectOf(event: AccountEvent): string | undefined {
  if ("order" in event.data) return event.data.order.order_id.slice("ord_".length);
  if ("funding" in event.data) return event.data.funding.funding_id.slice("fnd_".length);
  if ("withdrawal" in event.data) return event.data.withdrawal.withdrawal_id.slice("wd_".length);
  // The id of a notice is not published.
  return event.type === "credential.expiring" ? undefined : event.id.slice("evt_".length);
}

function endOf(event: AccountEvent): readonly LineMember[] {
  switch (event.type) {
    case "order.executed": {
      const { side, gold_grams, price_per_gram_sar, total_sar } = event.data.order;
      return [
        member("side", SIDES[side]),
        member("gold", gold_grams.units),
        member("price", price_per_gram_sar.units),
        member("total", total_sar.units),
      ];
    }
    case "credential.expiring": {
      const { kind, id, expires_at } = event.data.credential;
      return [hashed("credential", [kind, id, Date.parse(expires_at)])];
    }
    case "credential.added":
    case "credential.ended": {
      const { kind, id, kid, valid_from, valid_until, changed_by, approved_by } = event.data.credential;
      const dates = [valid_from, valid_until].map((date) => date === null ? null : Date.parse(date));
      return [hashed("change", [kind, id, kid, ...dates, null, null, changed_by, approved_by])];
    }
    case "settlement.changed": {
      const { iban_sha256, changed_by, approved_by } = event.data.settlement;
      return [hashed("change", [null, null, null, null, null, iban_sha256, null, changed_by, approved_by])];
    }
    case "webhook_endpoint.changed": {
      const { url, endpoint = 1, removed_at = null, changed_by, approved_by } = event.data.webhook_endpoint;
      // Endpoint 1 has no number in the line, because events from before 0.7.0 have none.
      const number = endpoint === 1 ? null : `${endpoint}`;
      const end = removed_at === null ? null : Date.parse(removed_at);
      return [hashed("change", [null, null, number, null, end, null, url, changed_by, approved_by])];
    }
    case "day.closed": {
      const { date, first_sequence, last_sequence, opening_balance, closing_balance, ...rest } =
        event.data.day;
      const { quotes, orders, refusals, broken, quotes_sha256, refusals_sha256, epoch } = rest;
      const balances = [opening_balance, closing_balance].flatMap(({ available_sar, held_sar, gold_grams }) =>
        [available_sar, held_sar, gold_grams].map(({ units }) => Number(units))
      );
      const counts = [quotes, orders, refusals, broken, quotes_sha256, refusals_sha256];
      const epochs = [epoch.number, epoch.timeline, Date.parse(epoch.began_at)];
      return [hashed("day", [date, first_sequence, last_sequence, ...balances, ...counts, ...epochs])];
    }
    case "webhook.test":
    case "funding.completed":
    case "funding.reversed":
      return [];
    default:
      // The hash contains the whole IBAN and the operator's login, which no event has.
      return [
        member("status", STATUSES.findIndex((status) => status === event.data.withdrawal.status) + 1),
        member("withdrawal", undefined),
      ];
  }
}

/** The hash of a JSON array, with a space after each comma, as Postgres writes it. */
function hashed(name: string, values: readonly (string | number | null)[]): LineMember {
  const text = `[${values.map((value) => JSON.stringify(value)).join(", ")}]`;
  return member(name, hostBytes.sha256Hex(hostBytes.utf8(text)));
}

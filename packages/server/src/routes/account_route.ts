import {
  AMOUNT_MAX_HALALAS,
  AMOUNT_MIN_HALALAS,
  balancesQuery,
  formatDecimal,
  formatInstant,
  GOLD_MIN_TENTH_MILLIGRAMS,
  gramsNumber,
  QUOTE_TTL_SECONDS,
  type QuoteTerms,
  reservesListId,
  sarNumber,
  smallestTrade,
  writeJson,
} from "@gold-partner/protocol";
import { JsonNumber, type JsonValue } from "@gold-partner/canonical";
import type { Partner } from "../admission/registry/snapshot.ts";
import { readQuery, refuseQuery } from "../admission/query/read_query.ts";
import { admitCaller } from "../admission/admit_caller.ts";
import type { Route } from "../http/context.ts";
import { STREAMS_MAX } from "../streams/streams.ts";
import type { Deps } from "./deps.ts";
import type { DayLimits, Holdings, PartnerLimits } from "../reads/account_reads.ts";
import type { ListedReserves } from "../reads/market_reads.ts";
import { Refusal } from "../http/refusal.ts";
import { jsonReply, jsonTextReply } from "../http/reply.ts";

export function balancesRoute(deps: Deps): Route {
  return async (c) => {
    const { partner } = await admitCaller(c, deps);
    const { at } = readQuery(c, balancesQuery);
    if (at === undefined) {
      const { asOf, ...holdings } = await deps.reads.balances(partner.id);
      const now = formatInstant(asOf.getTime());
      return jsonReply(balancesOf(holdings, await deps.reads.reservesAt(now), now), c.get("exchange"));
    }
    const [holdings, reserves] = await Promise.all([
      deps.reads.balancesAt(partner.id, at),
      deps.reads.reservesAt(at),
    ]);
    if (!holdings) {
      const detail = "`at` is in the future. Leave `at` out to read the current balances.";
      throw new Refusal("invalid_request", detail, [{ name: "at", detail }]);
    }
    return jsonReply(balancesOf(holdings, reserves, at), c.get("exchange"));
  };
}

const balancesOf = (
  { sarAvailable, sarHeld, gold }: Holdings,
  reserves: ListedReserves | undefined,
  asOf: string,
) => ({
  sar: { available: sarNumber(sarAvailable), held: sarNumber(sarHeld) },
  gold: { grams: gramsNumber(gold), ...(reserves && { reserves: shareOf(gold, reserves) }) },
  as_of: asOf,
});

const SHARE_DECIMALS = 12n;

/** The gold as a share of the bars of a list, rounded down. Without bars, nobody can hold gold. */
const shareOf = (gold: bigint, { list, fine }: ListedReserves) => ({
  reserves_list_id: reservesListId(list),
  fine_grams: gramsNumber(fine),
  share: formatDecimal(fine === 0n ? 0n : gold * 10n ** SHARE_DECIMALS / fine, SHARE_DECIMALS),
});

const DAYS = ["sunday", "monday", "tuesday", "wednesday", "thursday", "friday", "saturday"] as const;

/** What is registered for the partner. The database and the limits' writer each give a part of the text. */
export function accountRoute(deps: Deps): Route {
  return async (c) => {
    const { partner } = await admitCaller(c, deps);
    refuseQuery(c);
    const [account, credentials, limits] = await Promise.all([
      deps.reads.registered(partner.id),
      deps.reads.credentials(partner.id),
      readLimits(deps, partner),
    ]);
    const text = `${account.slice(0, -1)},"credentials":${credentials},"limits":${writeJson(limits)}}`;
    return jsonTextReply(text, c.get("exchange"));
  };
}

export function limitsRoute(deps: Deps): Route {
  return async (c) => {
    const { partner } = await admitCaller(c, deps);
    refuseQuery(c);
    return jsonReply(await readLimits(deps, partner), c.get("exchange"));
  };
}

async function readLimits(
  deps: Deps,
  { id, maximumTenthMilligrams, rate, simulations }: Partner,
): Promise<JsonValue> {
  const [{ quoteTtlSeconds = `${QUOTE_TTL_SECONDS}`, alwaysOpen, sessions }, limits, day, price] =
    await Promise
      .all([
        deps.reads.marketHours(),
        deps.reads.limits(id),
        deps.reads.dayLimits(id),
        simulations ? deps.reads.simulatedPrice(id) : deps.reads.price(),
      ]);
  const openGrams = limits?.maximumOpenGrams ?? null;
  return {
    gold_grams: {
      step: gramsNumber(1n),
      minimum: gramsNumber(GOLD_MIN_TENTH_MILLIGRAMS),
      // Report the smaller of two limits: the largest order, and the grams of all open quotes. A single
      // quote may exceed neither.
      maximum: gramsNumber(
        openGrams !== null && openGrams < maximumTenthMilligrams ? openGrams : maximumTenthMilligrams,
      ),
    },
    amount_sar: {
      step: sarNumber(1n),
      minimum: sarNumber(AMOUNT_MIN_HALALAS),
      maximum: sarNumber(AMOUNT_MAX_HALALAS),
    },
    smallest_trade: price === undefined || price.stale ? null : {
      buy: describeTrade(smallestTrade("buy", price.buy)),
      sell: describeTrade(smallestTrade("sell", price.sell)),
    },
    quote_ttl_seconds: new JsonNumber(quoteTtlSeconds),
    rate_limit: {
      requests_per_second: new JsonNumber(`${rate.perSecond}`),
      burst: new JsonNumber(`${rate.burst}`),
    },
    streams: { maximum: new JsonNumber(`${STREAMS_MAX}`) },
    open_quotes: openQuotesOf(limits),
    daily_records: dailyRecordsOf(limits),
    net_position: netPositionOf(day),
    daily_withdrawals: dailyWithdrawalsOf(day),
    exposure: day.exposure,
    market_hours: {
      always_open: alwaysOpen,
      time_zone: "Asia/Riyadh",
      sessions: sessions.map((session) => ({
        day: DAYS[session.day]!,
        opens: session.opens,
        closes: session.closes,
      })),
      halted_at: day.haltedAt === null ? null : formatInstant(day.haltedAt.getTime()),
    },
  };
}

const describeTrade = ({ goldTenthMilligrams, totalHalalas }: QuoteTerms): JsonValue => ({
  gold_grams: gramsNumber(goldTenthMilligrams),
  amount_sar: sarNumber(totalHalalas),
});

function openQuotesOf(limits: PartnerLimits | undefined): JsonValue {
  if (!limits) return null;
  const { maximumOpenQuotes, maximumOpenGrams, openQuotes, openGrams } = limits;
  if (maximumOpenQuotes === null && maximumOpenGrams === null) return null;
  return {
    maximum_quotes: maximumOpenQuotes === null ? null : count(maximumOpenQuotes),
    quotes: count(openQuotes),
    maximum_gold_grams: maximumOpenGrams === null ? null : gramsNumber(maximumOpenGrams),
    gold_grams: gramsNumber(openGrams),
  };
}

function dailyRecordsOf(limits: PartnerLimits | undefined): JsonValue {
  if (!limits || limits.maximumDailyRecords === null) return null;
  const { maximumDailyRecords, records, resetsAt } = limits;
  return {
    maximum_records: count(maximumDailyRecords),
    records: count(records),
    resets_at: formatInstant(resetsAt.getTime()),
  };
}

function netPositionOf({ maximumNetGrams, netBuys, netSells, resetsAt }: DayLimits): JsonValue {
  if (maximumNetGrams === null) return null;
  const left = (used: bigint) => gramsNumber(used > maximumNetGrams ? 0n : maximumNetGrams - used);
  return {
    maximum_gold_grams: gramsNumber(maximumNetGrams),
    buy_gold_grams: left(netBuys),
    sell_gold_grams: left(netSells),
    resets_at: formatInstant(resetsAt.getTime()),
  };
}

function dailyWithdrawalsOf(day: DayLimits): JsonValue {
  const { maximumWithdrawals, maximumWithdrawn, withdrawals, withdrawn, resetsAt } = day;
  if (maximumWithdrawals === null && maximumWithdrawn === null) return null;
  return {
    maximum_withdrawals: maximumWithdrawals === null ? null : count(maximumWithdrawals),
    withdrawals: count(withdrawals),
    maximum_amount_sar: maximumWithdrawn === null ? null : sarNumber(maximumWithdrawn),
    amount_sar: sarNumber(withdrawn),
    resets_at: formatInstant(resetsAt.getTime()),
  };
}

const count = (number: bigint) => new JsonNumber(`${number}`);

export function credentialsRoute(deps: Deps): Route {
  return async (c) => {
    const { partner } = await admitCaller(c, deps);
    refuseQuery(c);
    return jsonTextReply(await deps.reads.credentials(partner.id), c.get("exchange"));
  };
}

export function chainKeyRoute(deps: Deps): Route {
  return async (c) => {
    const { partner } = await admitCaller(c, deps);
    refuseQuery(c);
    return jsonTextReply(await deps.reads.chainKey(partner.id), c.get("exchange"));
  };
}

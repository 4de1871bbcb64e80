import { formatPrice, parsePrice } from "@gold-partner/protocol";
import { checkPriceUrl, parseAllowList } from "@gold-partner/server";
import type { Sql, TransactionSql } from "postgres";
import type { Command, Invocation, Result, Row, Values } from "../../command.ts";
import { EXIT, Failure, usage } from "../../failure.ts";
import { oneOf, optional, parsed, repeated, wholeNumber } from "../../values.ts";
import { type Change, changeAlone, confirmAlone, makeOrPropose } from "../changes/proposing.ts";
import { isNever } from "../changes/proposal_view.ts";
import { readMarketHours, writeMarketHours } from "./market_hours.ts";
import { isAwaited } from "./price_change.ts";

const SOURCES = ["fixed", "simulated", "http"] as const;
const DEFAULT_SPREAD_BASIS_POINTS = 60;
const DEFAULT_STALE_AFTER_SECONDS = 10;
/** A placeholder until an http source gives its first price. It counts as stale, so no quote uses it. */
const NO_PRICE_PIPS = 10_000n;

/** The current price settings. */
interface Standing {
  readonly source: (typeof SOURCES)[number];
  /** Undefined if the source has not given a price yet. */
  readonly midPips: bigint | undefined;
  readonly spreadBasisPoints: number;
  readonly staleAfterSeconds: number;
  readonly url: string | null;
}

type Terms = Omit<Standing, "midPips"> & { readonly midPips: bigint };

const set: Command = {
  words: "price set",
  usage:
    'price set [--mid SAR_PER_GRAM] [--spread BASIS_POINTS] [--source fixed|simulated|http] [--url https://…] [--stale-after SECONDS] [--open always|never|"sun-thu 10:00-15:00" …]',
  does:
    "sets the price for quotes, its source and the market hours; options that are not given keep their values, but --mid without --source sets the source to fixed",
  options: {
    mid: { type: "string" },
    spread: { type: "string" },
    source: { type: "string" },
    url: { type: "string" },
    "stale-after": { type: "string" },
    open: { type: "string", multiple: true },
  },
  run: setPrice,
};

async function setPrice(invocation: Invocation): Promise<Result> {
  const { values, db, env } = invocation;
  const open = repeated(values, "open");
  const hours = open.length === 0 ? undefined : readMarketHours(open);
  const changesPrice = ["mid", "spread", "source", "url", "stale-after"].some((name) =>
    values[name] !== undefined
  );
  if (!changesPrice && !hours) throw usage(`There is nothing to set. Usage: gold ${set.usage}`);
  await requirePriceUrl(optional(values, "url"), env);
  const { sql } = await db();
  const readChange = async (on: Sql | TransactionSql): Promise<Change> => ({
    kind: "price.set",
    content: {
      ...(changesPrice ? contentOf(values, termsOf(values, await readStanding(on))) : {}),
      ...(hours ? { hours: { always_open: hours.alwaysOpen, sessions: hours.sessions } } : {}),
    },
  });
  let change = await readChange(sql);
  await confirmAlone(invocation, change, !changesPrice && isNever(change.content.hours));
  const make = async (transaction: TransactionSql) => {
    // Lock the price until the commit, because the change states the values that it keeps.
    if (changesPrice) await transaction`select gold.lock_price()`;
    change = await readChange(transaction);
    await changeAlone(transaction, change);
    return { object: await describePrice(transaction) };
  };
  return await makeOrPropose(invocation, () => sql.begin(make), () => change);
}

/** A source other than `fixed` keeps its own price until the approval, unless --mid is given. */
const contentOf = (
  values: Values,
  { source, midPips, spreadBasisPoints, staleAfterSeconds, url }: Terms,
) => ({
  source,
  ...(source === "fixed" || values.mid !== undefined ? { mid: `${midPips}` } : {}),
  spread_basis_points: spreadBasisPoints,
  stale_after_seconds: staleAfterSeconds,
  url,
});

const show: Command = {
  words: "price show",
  usage: "price show",
  does: "shows the current price, its source and the market hours",
  async run({ db }) {
    return { object: await describePrice((await db()).sql) };
  },
};

export const PRICE_COMMANDS: readonly Command[] = [set, show];

/** Merges the given options over the current settings. */
function termsOf(values: Values, standing: Standing | undefined): Terms {
  const given = parsed(values, "mid", parsePrice);
  const named = optional(values, "source");
  const source = named === undefined
    ? given === undefined ? standing?.source ?? "fixed" : "fixed"
    : oneOf(named, "source", SOURCES);
  const midPips = given ?? standing?.midPips;
  if (source === "http" && given !== undefined) {
    throw usage("--mid cannot be given with the http source, because that source supplies the price.");
  }
  if (source !== "http" && midPips === undefined) {
    throw usage("--mid is missing. There is no current price to keep.");
  }
  return {
    source,
    midPips: midPips ?? NO_PRICE_PIPS,
    spreadBasisPoints: numberOf(values, "spread", standing?.spreadBasisPoints ?? DEFAULT_SPREAD_BASIS_POINTS),
    staleAfterSeconds: numberOf(
      values,
      "stale-after",
      standing?.staleAfterSeconds ?? DEFAULT_STALE_AFTER_SECONDS,
    ),
    url: urlOf(source, optional(values, "url"), standing),
  };
}

function numberOf(values: Values, name: string, otherwise: number): number {
  const text = optional(values, name);
  return text === undefined ? otherwise : wholeNumber(text, name);
}

function urlOf(source: string, given: string | undefined, standing: Standing | undefined): string | null {
  if (source !== "http") {
    if (given !== undefined) throw usage("--url can be given only with --source http.");
    return null;
  }
  const url = given ?? standing?.url ?? undefined;
  if (url === undefined) {
    throw usage("--url is missing. Give the URL from which the http source gets its price.");
  }
  return url;
}

function readAllowList(text: string): ReturnType<typeof parseAllowList> {
  try {
    return parseAllowList(text);
  } catch (error) {
    throw usage(`PRICE_SOURCE_ALLOW ${(error as Error).message}`);
  }
}

/**
 * Refuses a URL that the service would never fetch.
 * Reads the allow list from the environment, as the service does.
 */
async function requirePriceUrl(url: string | undefined, env: Invocation["env"]): Promise<void> {
  if (url === undefined) return;
  const fault = await checkPriceUrl(url, readAllowList(env.PRICE_SOURCE_ALLOW ?? ""));
  if (fault !== undefined) throw usage(`--url: ${fault}`);
}

async function readStanding(sql: Sql | TransactionSql): Promise<Standing | undefined> {
  const [row] = await sql`
    select source, mid::text, spread_basis_points, stale_after_seconds, url, ticked_at from gold.current_price`;
  return row && {
    source: row.source,
    midPips: isAwaited(row.ticked_at) ? undefined : BigInt(row.mid),
    spreadBasisPoints: row.spread_basis_points,
    staleAfterSeconds: row.stale_after_seconds,
    url: row.url,
  };
}

async function describePrice(sql: Sql | TransactionSql): Promise<Row> {
  const [row] = await sql`select *, mid::text, buy::text, sell::text from gold.current_price`;
  if (!row) throw new Failure(EXIT.refused, "not_found", "No price has been set: run `gold price set`.");
  const sessions = await sql`
    select day, left(opens::text, 5) as opens, left(closes::text, 5) as closes from gold.market_hours order by day, opens`;
  const awaited = isAwaited(row.ticked_at);
  const shown = (pips: string) => awaited ? null : formatPrice(BigInt(pips));
  return {
    source: row.source,
    url: row.url,
    mid: shown(row.mid),
    spread_basis_points: row.spread_basis_points,
    buy_price: shown(row.buy),
    sell_price: shown(row.sell),
    as_of: awaited ? null : row.as_of.toISOString(),
    stale: row.stale,
    stale_after_seconds: row.stale_after_seconds,
    market: row.market_open ? "open" : "closed",
    halted_at: row.halted_at?.toISOString() ?? null,
    market_hours: writeMarketHours({
      alwaysOpen: row.always_open,
      sessions: sessions.map(({ day, opens, closes }) => ({ day, opens, closes })),
    }),
  };
}

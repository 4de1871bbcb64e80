import { formatPrice } from "@gold-partner/protocol";
import type { Command, Invocation, Result, Row, Values } from "../../command.ts";
import { EXIT, Failure, usage } from "../../failure.ts";
import { instantOf } from "../../output.ts";
import { optional, parsed, parsedRequired, wholeNumber } from "../../values.ts";
import { startOfDay, sumPosition } from "../../views/figures.ts";
import { type Change, changeOrPropose, confirmAlone } from "../changes/proposing.ts";
import { readLimitGrams } from "../partners/partner_limits.ts";
import { isAwaited } from "./price_change.ts";

const SECONDS_MAX = 600;
const PERCENT_FORM = /^(?:0|[1-9][0-9]?|100)(?:\.[0-9]{1,2})?$/;

const set: Command = {
  words: "market set",
  usage:
    "market set [--exposure G|unlimited] [--breaker PERCENT --within SECONDS | --breaker off] [--band PERCENT --band-hour PERCENT | --band off]",
  does:
    "limits what all partners may buy minus what they sell in a day; sets the circuit breaker, which closes the market when the price of the source moves by --breaker percent within --within seconds; and sets the price band: --band is how far a price may be from the one before it; --band-hour is how far it may be from the prices of the last hour, and how much the price may rise or fall in total within an hour",
  options: {
    exposure: { type: "string" },
    breaker: { type: "string" },
    within: { type: "string" },
    band: { type: "string" },
    "band-hour": { type: "string" },
  },
  run: setMarket,
};

async function setMarket(invocation: Invocation): Promise<Result> {
  const { values } = invocation;
  const exposure = parsed(
    values,
    "exposure",
    (text) => text === "unlimited" ? null : readLimitGrams(text, "exposure"),
  );
  const breaker = parsed(
    values,
    "breaker",
    (text) => text === "off" ? null : readBasisPoints(text, "breaker"),
  );
  const band = readBand(values);
  if (exposure === undefined && breaker === undefined && band === undefined) {
    throw usage(`There is nothing to set. Usage: gold ${set.usage}`);
  }
  const seconds = typeof breaker === "number" ? parsedRequired(values, "within", readSeconds) : null;
  if (seconds === null && optional(values, "within") !== undefined) {
    throw usage("--within can be given only with --breaker PERCENT.");
  }
  const maximum = typeof exposure === "bigint" ? `${exposure}` : null;
  const change: Change = {
    kind: "market.set",
    content: {
      ...(breaker === undefined ? {} : { breaker: { basis_points: breaker, seconds } }),
      ...(band ? { band: { step_basis_points: band.step, hour_basis_points: band.hour } } : {}),
      ...(exposure === undefined ? {} : { exposure: maximum }),
    },
  };
  await confirmAlone(invocation, change);
  return await changeOrPropose(
    invocation,
    change,
    async () => ({ object: await describeMarket(invocation) }),
  );
}

const show: Command = {
  words: "market show",
  usage: "market show",
  does:
    "shows whether the market is open, the circuit breaker, the price band, and the exposure and its limit",
  async run(invocation) {
    return { object: await describeMarket(invocation) };
  },
};

const open: Command = {
  words: "market open",
  usage: "market open",
  does: "opens the market that the circuit breaker closed",
  async run(invocation) {
    const { confirm } = invocation;
    const { halted_at, mid } = await describeMarket(invocation);
    if (halted_at === null) {
      throw new Failure(
        EXIT.refused,
        "refused",
        "The circuit breaker has not closed the market. Its hours: `gold price set --open always`.",
      );
    }
    await confirm(`The price jumped at ${halted_at}. Is ${mid} SAR per gram right, and may quotes use it?`);
    return await changeOrPropose(invocation, { kind: "market.open", content: {} }, async () => ({
      object: await describeMarket(invocation),
    }));
  },
};

export const MARKET_COMMANDS: readonly Command[] = [set, show, open];

function readBasisPoints(text: string, name: string): number {
  const basisPoints = PERCENT_FORM.test(text) ? Math.round(Number(text) * 100) : 0;
  if (basisPoints < 1 || basisPoints > 10_000) {
    throw usage(
      `--${name} must be a percentage from 0.01 to 100${
        name === "band-hour" ? "" : ", or off"
      }; got ${text}.`,
    );
  }
  return basisPoints;
}

/** The price band in basis points. Null turns it off. */
interface Band {
  readonly step: number | null;
  readonly hour: number | null;
}

function readBand(values: Values): Band | undefined {
  const read = (name: string) => (text: string) => readBasisPoints(text, name);
  const step = parsed(values, "band", (text) => text === "off" ? null : read("band")(text));
  if (typeof step !== "number") {
    if (optional(values, "band-hour") === undefined) return step === null ? { step, hour: null } : undefined;
    throw usage("--band-hour can be given only with --band PERCENT.");
  }
  const hour = parsedRequired(values, "band-hour", read("band-hour"));
  if (hour >= step) return { step, hour };
  throw usage("--band-hour must not be below --band.");
}

function readSeconds(text: string): number {
  const seconds = wholeNumber(text, "within");
  if (seconds > SECONDS_MAX) throw usage(`--within must be at most ${SECONDS_MAX} seconds; got ${text}.`);
  return seconds;
}

async function describeMarket({ query, trades }: Invocation): Promise<Row> {
  const [price] = await query`
    select mid::text, ticked_at, market_open, halted_at, halt_basis_points, halt_seconds,
      band_basis_points, band_hour_basis_points from gold.current_price`;
  if (!price) throw new Failure(EXIT.refused, "not_found", "No price has been set: run `gold price set`.");
  const exposure = sumPosition(
    await trades.read(query, await startOfDay(query)),
    await trades.countOpen(query),
  );
  return {
    market: price.market_open ? "open" : "closed",
    halted_at: instantOf(price.halted_at),
    // An http source that has given no price yet has a placeholder.
    mid: isAwaited(price.ticked_at) ? null : formatPrice(BigInt(price.mid)),
    breaker_percent: percentOf(price.halt_basis_points) ?? "off",
    breaker_seconds: price.halt_seconds,
    band_percent: percentOf(price.band_basis_points) ?? "off",
    band_hour_percent: percentOf(price.band_hour_basis_points),
    exposure: exposure.limit_grams ?? "unlimited",
    // Partners bought more than they sold if this is positive.
    net_today: exposure.position_grams!,
    open_buys: exposure.open_buys_grams!,
    open_sells: exposure.open_sells_grams!,
  };
}

const percentOf = (basisPoints: number | null) => basisPoints === null ? null : basisPoints / 100;

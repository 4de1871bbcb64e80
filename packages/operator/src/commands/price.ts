import { formatPrice, parsePrice, pricesFromMid } from "@gold-partner/protocol";
import type { Command } from "../command.ts";
import { EXIT, Failure, usage } from "../failure.ts";
import { required, wholeNumber } from "../values.ts";

const SOURCES = ["fixed", "simulated"];

const set: Command = {
  words: "price set",
  usage:
    "price set --mid SAR_PER_GRAM [--spread BASIS_POINTS] [--source fixed|simulated] [--stale-after SECONDS]",
  does: "sets the price that quotes are made from, and where it goes from there",
  options: {
    mid: { type: "string" },
    spread: { type: "string", default: "60" },
    source: { type: "string", default: "fixed" },
    "stale-after": { type: "string", default: "10" },
  },
  async run({ values, query }) {
    const source = required(values, "source");
    if (!SOURCES.includes(source)) throw usage(`--source is one of ${SOURCES.join(", ")}.`);
    const mid = parsePrice(required(values, "mid"));
    const spread = wholeNumber(required(values, "spread"), "spread");
    const { buyPricePips, sellPricePips } = pricesFromMid(mid, BigInt(spread));
    await query`select gold.set_price(${source}, ${`${mid}`}::text::bigint, ${`${buyPricePips}`}::text::bigint, ${`${sellPricePips}`}::text::bigint,
      ${spread}, ${wholeNumber(required(values, "stale-after"), "stale-after")})`;
    return {
      object: { source, buy_price: formatPrice(buyPricePips), sell_price: formatPrice(sellPricePips) },
    };
  },
};

const show: Command = {
  words: "price show",
  usage: "price show",
  does: "the current price",
  async run({ query }) {
    const [row] = await query`select *, buy::text, sell::text from gold.current_price`;
    if (!row) throw new Failure(EXIT.refused, "not_found", "No price has been set: run `gold price set`.");
    const { source, buy, sell, as_of, stale } = row;
    return {
      object: {
        source,
        buy_price: formatPrice(BigInt(buy)),
        sell_price: formatPrice(BigInt(sell)),
        as_of: as_of.toISOString(),
        stale,
      },
    };
  },
};

export const PRICE_COMMANDS: readonly Command[] = [set, show];

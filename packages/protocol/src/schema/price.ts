import { z } from "zod";
import { sarPerGram } from "./quantity.ts";
import { instant, instantParam } from "./text.ts";

const TERMS = {
  currency: z.literal("SAR").meta({ description: "The currency of both prices." }),
  unit: z.literal("gram").meta({ description: "The prices are for one gram." }),
  purity: z.literal("24K").meta({ description: "The purity of the gold." }),
};

export const pricesReply = z.object({
  ...TERMS,
  buy_price: sarPerGram.meta({ description: "SAR per gram that you pay; above the sell price." }),
  sell_price: sarPerGram.meta({ description: "SAR per gram that you receive." }),
  as_of: instant.meta({ description: "When the prices were set." }),
  market: z.enum(["open", "closed"]).meta({ description: "Quotes are given only while the market is open." }),
}).meta({ id: "Prices", description: "Indicative prices; a quote is firm." });
export type PricesReply = z.infer<typeof pricesReply>;

const range = z.object({
  first: sarPerGram.meta({ description: "The first price of the minute." }),
  highest: sarPerGram.meta({ description: "The highest price of the minute." }),
  lowest: sarPerGram.meta({ description: "The lowest price of the minute." }),
  last: sarPerGram.meta({ description: "The last price of the minute." }),
});

export const priceHistoryReply = z.object({
  ...TERMS,
  bars: z.array(z.object({
    begins_at: instant.meta({ description: "The beginning of the minute." }),
    buy_price: range.meta({ description: "SAR per gram that a partner paid." }),
    sell_price: range.meta({ description: "SAR per gram that a partner received." }),
  })).meta({
    description:
      "Oldest first. A minute without a new price has no bar; the last price before it was still valid. The bar of " +
      "the current minute can still change.",
  }),
}).meta({ id: "PriceHistory", description: "The prices of the last 24 hours, minute by minute." });
export type PriceHistoryReply = z.infer<typeof priceHistoryReply>;

export const priceHistoryQuery = z.strictObject({
  after: instantParam("Only bars that begin strictly later.").optional(),
}, { error: "This parameter is unknown; this endpoint supports only `after`." })
  .meta({ id: "PriceHistoryQuery", description: "Which part of the last 24 hours." });
export type PriceHistoryQuery = z.infer<typeof priceHistoryQuery>;

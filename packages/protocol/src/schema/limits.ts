import { z } from "zod";
import { grams, sar } from "./quantity.ts";
import { instant } from "./text.ts";

const clock = z.string().regex(/^(?:(?:[01][0-9]|2[0-3]):[0-5][0-9]|24:00)$/);

const smallest = (description: string) =>
  z.object({
    gold_grams: grams,
    amount_sar: sar.meta({ description: "What this gold costs or brings." }),
  }).meta({ description });

export const limitsReply = z.object({
  gold_grams: z.object({ step: grams, minimum: grams, maximum: grams })
    .meta({ description: "The gold of one quote." }),
  amount_sar: z.object({ step: sar, minimum: sar, maximum: sar })
    .meta({ description: "The amount of one quote, funding or withdrawal." }),
  smallest_trade: z.object({
    buy: smallest("The least that you can buy."),
    sell: smallest("The least that you can sell."),
  }).nullable().meta({
    description: "The smallest quotes at the present prices; null while there is no price.",
  }),
  quote_ttl_seconds: z.int().meta({ description: "How many seconds a quote is firm." }),
  rate_limit: z.object({
    requests_per_second: z.int().meta({ description: "How many requests a second you may send on average." }),
    burst: z.int().meta({ description: "How many requests you may send at once." }),
  }).meta({ description: "Your request rate." }),
  streams: z.object({
    maximum: z.int().meta({ description: "How many streams you can have open at once." }),
  }).meta({ description: "The limit of your streams of prices and events, together." }),
  open_quotes: z.object({
    maximum_quotes: z.int().nullable().meta({
      description: "How many quotes may be open; null means no limit.",
    }),
    quotes: z.int().meta({ description: "How many quotes are open." }),
    maximum_gold_grams: grams.nullable().meta({
      description: "How many grams the open quotes may have together; null means no limit.",
    }),
    gold_grams: grams.meta({ description: "The grams of the open quotes." }),
  }).nullable().meta({
    description:
      "Limits on your open quotes (firm, not yet executed) by number and by grams, and how many are open now. A " +
      "null maximum means no limit; null in place of the object means unlimited.",
  }),
  daily_records: z.object({
    maximum_records: z.int().meta({ description: "How many records may be stored per day." }),
    records: z.int().meta({ description: "How many records count today." }),
    resets_at: instant.meta({ description: "When the count starts again at 0." }),
  }).nullable().meta(
    {
      description:
        "Your daily limit (Riyadh time) on stored records that move no money or gold: quotes, binding refusals, " +
        "probes, replays, webhook tests and redeliveries. A quote stops counting when it is executed. Null means " +
        "unlimited.",
    },
  ),
  net_position: z.object({
    maximum_gold_grams: grams.meta({
      description: "The largest net position of a day, in either direction.",
    }),
    buy_gold_grams: grams.meta({ description: "How many grams you can still buy today." }),
    sell_gold_grams: grams.meta({ description: "How many grams you can still sell today." }),
    resets_at: instant.meta({ description: "When the day ends and both start again at the maximum." }),
  }).nullable().meta({
    description:
      "Your daily limit (Riyadh time) on what you buy minus what you sell. Open quotes count as if they were " +
      "executed; only quotes are refused. Null means unlimited.",
  }),
  daily_withdrawals: z.object({
    maximum_withdrawals: z.int().nullable().meta({
      description: "How many withdrawals you may request per day; null: any number.",
    }),
    withdrawals: z.int().meta({ description: "How many you requested today." }),
    maximum_amount_sar: sar.nullable().meta({
      description: "How much SAR you may request per day; null: any amount.",
    }),
    amount_sar: sar.meta({ description: "How much you requested today." }),
    resets_at: instant.meta({ description: "When both start again at 0." }),
  }).nullable().meta({
    description:
      "Your daily limits (Riyadh time) on withdrawals. Those that ended without a payment count, too. A null maximum " +
      "means no limit; null in place of the object means unlimited.",
  }),
  exposure: z.object({
    buy: z.boolean().meta({ description: "Whether the operator still sells gold to partners today." }),
    sell: z.boolean().meta({ description: "Whether the operator still buys gold from partners today." }),
  }).nullable().meta({
    description:
      "The operator's daily limit on what all partners buy minus what they sell. A side that is open may still " +
      "refuse a large quote. Null means unlimited.",
  }),
  market_hours: z.object({
    always_open: z.boolean().meta({ description: "Whether the market never closes." }),
    time_zone: z.literal("Asia/Riyadh").meta({ description: "The time zone of the sessions." }),
    sessions: z.array(z.object({
      day: z.enum(["sunday", "monday", "tuesday", "wednesday", "thursday", "friday", "saturday"]).meta({
        description: "The day of the week.",
      }),
      opens: clock.meta({ description: "When the market opens, as HH:MM." }),
      closes: clock.meta({ description: "When the market closes, as HH:MM; 24:00 is the end of the day." }),
    })).meta({ description: "The opening hours of each day; empty if the market is always open." }),
    halted_at: instant.nullable().meta({
      description:
        "When the market was closed outside its hours because the price jumped; it stays closed until the " +
        "operator opens it. Null: it was not.",
    }),
  }).meta({ description: "When the market is open." }),
}).meta({
  id: "Limits",
  description:
    "Your limits on quantities, request rate, open quotes and stored records, and the market hours.",
});
export type LimitsReply = z.infer<typeof limitsReply>;

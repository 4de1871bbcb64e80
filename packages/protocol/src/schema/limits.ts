import { z } from "zod";
import { grams, sar } from "./quantity.ts";
import { instant } from "./text.ts";

const clock = z.string().regex(/^(?:(?:[01][0-9]|2[0-3]):[0-5][0-9]|24:00)$/);

export const limitsReply = z.object({
  gold_grams: z.object({ step: grams, minimum: grams, maximum: grams })
    .meta({ description: "The gold of one quote." }),
  amount_sar: z.object({ step: sar, minimum: sar, maximum: sar })
    .meta({ description: "The amount of one quote, funding or withdrawal." }),
  quote_ttl_seconds: z.int(),
  rate_limit: z.object({ requests_per_second: z.int(), burst: z.int() }),
  open_quotes: z.object({
    maximum_quotes: z.int().nullable(),
    quotes: z.int(),
    maximum_gold_grams: grams.nullable(),
    gold_grams: grams,
  }).nullable().meta({
    description:
      "Limits on your open quotes (firm, not yet executed) by number and by grams, and how many are open now. A null maximum means no limit; null in place of the object means unlimited.",
  }),
  daily_records: z.object({ maximum_records: z.int(), records: z.int(), resets_at: instant }).nullable().meta(
    {
      description:
        "Your daily limit (Riyadh time) on stored records that move no money or gold: quotes, binding refusals, probes, replays, webhook tests and redeliveries. `records` is how many count today. A quote stops counting when it is executed. Null means unlimited.",
    },
  ),
  market_hours: z.object({
    always_open: z.boolean(),
    time_zone: z.literal("Asia/Riyadh"),
    sessions: z.array(z.object({
      day: z.enum(["sunday", "monday", "tuesday", "wednesday", "thursday", "friday", "saturday"]),
      opens: clock,
      closes: clock,
    })).meta({ description: "Empty where the market is always open." }),
  }),
}).meta({ id: "Limits", description: "What you may ask for, and how often." });
export type LimitsReply = z.infer<typeof limitsReply>;

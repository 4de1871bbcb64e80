import { z } from "zod";
import { grams, sar } from "./quantity.ts";

const clock = z.string().regex(/^(?:(?:[01][0-9]|2[0-3]):[0-5][0-9]|24:00)$/);

export const limitsReply = z.object({
  gold_grams: z.object({ step: grams, minimum: grams, maximum: grams })
    .meta({ description: "The gold of one quote." }),
  amount_sar: z.object({ step: sar, minimum: sar, maximum: sar })
    .meta({ description: "The amount of one quote, funding or withdrawal." }),
  quote_ttl_seconds: z.int(),
  rate_limit: z.object({ requests_per_second: z.int(), burst: z.int() }),
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

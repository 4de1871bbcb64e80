import { z } from "zod";
import { grams } from "./quantity.ts";
import { instant } from "./text.ts";

export const reservesReply = z.object({
  bars: z.array(z.object({
    serial: z.string(),
    refiner: z.string(),
    vault: z.string(),
    gross_grams: grams,
    fineness: z.number().meta({ description: "Parts of gold in 1,000.", examples: [999.9] }),
    fine_grams: grams,
  })),
  fine_grams: grams.meta({ description: "Gold in all bars." }),
  owed_grams: grams.meta({ description: "Gold owed to all partners; never more than fine_grams." }),
  coverage: z.number().nullable().meta({
    description: "fine_grams / owed_grams, rounded down to 4 decimals; null where nothing is owed.",
  }),
  as_of: instant.meta({
    description: "The instant of every figure here. The reply stays unchanged for at least an hour.",
  }),
}).meta({ id: "Reserves", description: "The bars behind the gold, as published at one instant." });
export type ReservesReply = z.infer<typeof reservesReply>;

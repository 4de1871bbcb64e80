import { z } from "zod";
import { grams } from "./quantity.ts";
import { instant } from "./text.ts";

export const reservesReply = z.object({
  bars: z.array(z.object({
    serial: z.string().meta({ description: "The serial number on the bar." }),
    refiner: z.string().meta({ description: "Who made the bar." }),
    vault: z.string().meta({ description: "Where the bar is." }),
    gross_grams: grams.meta({ description: "The bar's weight in grams, at most 4 decimals." }),
    fineness: z.number().meta({ description: "Parts of gold in 1,000.", examples: [999.9] }),
    fine_grams: grams.meta({ description: "The gold in the bar: its weight times its fineness, in grams." }),
  })).meta({ description: "Every bar in the vault." }),
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

import { z } from "zod";
import { grams } from "./quantity.ts";
import { instant, reservesListIdText, sha256Hex } from "./text.ts";

const bar = z.object({
  serial: z.string().meta({ description: "The serial number on the bar." }),
  refiner: z.string().meta({ description: "Who made the bar." }),
  vault: z.string().meta({ description: "Where the bar is." }),
  gross_grams: grams.meta({ description: "The bar's weight in grams, at most 4 decimals." }),
  fineness: z.number().meta({ description: "Parts of gold in 1,000.", examples: [999.9] }),
  fine_grams: grams.meta({ description: "The gold in the bar: its weight times its fineness, in grams." }),
});

export const reservesReply = z.object({
  bars: z.array(bar).meta({ description: "Every bar in the vault." }),
  fine_grams: grams.meta({ description: "Gold in all bars." }),
  owed_grams: grams.meta({ description: "Gold owed to all partners; never more than fine_grams." }),
  coverage: z.number().nullable().meta({
    description: "fine_grams divided by owed_grams, rounded down to 4 decimals; null if nothing is owed.",
  }),
  as_of: instant.meta({
    description: "The instant of every figure here. The reply stays unchanged for at least an hour.",
  }),
  reserves_list_id: reservesListIdText.meta({ description: "The list of bars in force at as_of." }),
}).meta({ id: "Reserves", description: "The bars behind the gold, as published at one instant." });
export type ReservesReply = z.infer<typeof reservesReply>;

export const reservesListReply = z.object({
  reserves_list_id: reservesListIdText,
  created_at: instant.meta({ description: "When the list came into force." }),
  bars: z.array(bar).meta({ description: "Every bar of the list, sorted by serial." }),
  fine_grams: grams.meta({ description: "Gold in all bars of the list." }),
  previous_sha256: sha256Hex.meta({
    description: "The sha256 of the previous list; 64 zeros for the first list.",
  }),
  sha256: sha256Hex.meta({
    description: "SHA-256 of the bars and previous_sha256, as the guide to reserves describes.",
  }),
}).meta({
  id: "ReservesList",
  description: "The bars that were in the vault between two changes of the vault. A list never changes.",
});
export type ReservesListReply = z.infer<typeof reservesListReply>;

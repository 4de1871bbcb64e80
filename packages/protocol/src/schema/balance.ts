import { z } from "zod";
import { grams, sar } from "./quantity.ts";
import { instant } from "./text.ts";

export const balancesReply = z.object({
  sar: z.object({
    available: sar.meta({ description: "SAR that can be traded or withdrawn." }),
    held: sar.meta({ description: "SAR of withdrawals that are not yet paid." }),
  }).meta({ description: "Your money." }),
  gold: z.object({ grams }).meta({ description: "Your gold." }),
  as_of: instant.meta({ description: "The instant of these balances." }),
}).meta({ id: "Balances", description: "The account at one instant." });
export type BalancesReply = z.infer<typeof balancesReply>;

export const balancesQuery = z.strictObject({
  at: instant.meta({ description: "A past instant. Without it, the balances are those of now." }).optional(),
}, {
  error: "This parameter is unknown; this endpoint supports only `at`.",
}).meta({
  id: "BalancesQuery",
  description: "`at`: any past instant. Without it, the balances are those of now.",
});
export type BalancesQuery = z.infer<typeof balancesQuery>;

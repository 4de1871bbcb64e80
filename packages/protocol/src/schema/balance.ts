import { z } from "zod";
import { grams, sar } from "./quantity.ts";
import { instant, instantParam, reservesListIdText } from "./text.ts";

export const balancesReply = z.object({
  sar: z.object({
    available: sar.meta({ description: "SAR that can be traded or withdrawn." }),
    held: sar.meta({ description: "SAR of withdrawals that are not yet paid." }),
  }).meta({ description: "Your money." }),
  gold: z.object({
    grams,
    reserves: z.object({
      reserves_list_id: reservesListIdText,
      fine_grams: grams.meta({ description: "Gold in all bars of the list." }),
      share: z.string().meta({
        description: "Your gold divided by fine_grams, as a decimal rounded down to 12 decimals.",
        examples: ["0.000790826108"],
      }),
    }).meta({
      description:
        "Your gold as a share of the list of bars in force at as_of. Only GET /v1/balances has it, and not " +
        "for instants before the first list.",
    }).optional(),
  }).meta({ description: "Your gold." }),
  as_of: instant.meta({ description: "The instant of these balances." }),
}).meta({ id: "Balances", description: "The account at one instant." });
export type BalancesReply = z.infer<typeof balancesReply>;

export const balancesQuery = z.strictObject({
  at: instantParam("A past instant. If you omit it, the reply has the current balances.").optional(),
}, {
  error: "This parameter is unknown; this endpoint supports only `at`.",
}).meta({
  id: "BalancesQuery",
  description: "`at`: any past instant. If you omit it, the reply has the current balances.",
});
export type BalancesQuery = z.infer<typeof balancesQuery>;

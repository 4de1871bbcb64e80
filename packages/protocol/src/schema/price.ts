import { z } from "zod";
import { sarPerGram } from "./quantity.ts";
import { instant } from "./text.ts";

export const pricesReply = z.object({
  currency: z.literal("SAR").meta({ description: "The currency of both prices." }),
  unit: z.literal("gram").meta({ description: "The prices are for one gram." }),
  purity: z.literal("24K").meta({ description: "The purity of the gold." }),
  buy_price: sarPerGram.meta({ description: "SAR per gram that you pay; above the sell price." }),
  sell_price: sarPerGram.meta({ description: "SAR per gram that you receive." }),
  as_of: instant.meta({ description: "When the prices were set." }),
  market: z.enum(["open", "closed"]).meta({ description: "Quotes are given only while the market is open." }),
}).meta({ id: "Prices", description: "Indicative prices; a quote is firm." });
export type PricesReply = z.infer<typeof pricesReply>;

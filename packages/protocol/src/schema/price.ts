import { z } from "zod";
import { sarPerGram } from "./quantity.ts";
import { instant } from "./text.ts";

export const pricesReply = z.object({
  currency: z.literal("SAR"),
  unit: z.literal("gram"),
  purity: z.literal("24K"),
  buy_price: sarPerGram.meta({ description: "SAR per gram that you pay; above the sell price." }),
  sell_price: sarPerGram.meta({ description: "SAR per gram that you receive." }),
  as_of: instant,
  market: z.enum(["open", "closed"]),
}).meta({ id: "Prices", description: "Indicative prices; a quote is firm." });
export type PricesReply = z.infer<typeof pricesReply>;

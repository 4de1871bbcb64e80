import { z } from "zod";
import {
  accountLabelParam,
  type PartnerTexts,
  partnerTextsOf,
  referenceParam,
  repliedAccountLabel,
  repliedReference,
} from "./partner_text.ts";
import { amountParam, grams, gramsParam, sar, sarPerGram } from "./quantity.ts";
import { requestBody } from "./request_body.ts";
import { idText, instant, side } from "./text.ts";

/** A request for a quote, by gold or by amount. */
export type QuoteRequest =
  & PartnerTexts
  & { readonly side: z.output<typeof side> }
  & (
    | { readonly by: "grams"; readonly goldTenthMilligrams: bigint }
    | { readonly by: "amount"; readonly amountHalalas: bigint }
  );

export const quoteRequest = requestBody({
  id: "QuoteRequest",
  description: "Exactly one of gold_grams and amount_sar.",
  oneOf: [{ required: ["gold_grams"] }, { required: ["amount_sar"] }],
}, {
  side,
  gold_grams: gramsParam.optional(),
  amount_sar: amountParam.optional(),
  reference: referenceParam,
  account_label: accountLabelParam,
})
  .transform(({ side, gold_grams, amount_sar, ...texts }, context): QuoteRequest => {
    if (gold_grams !== undefined && amount_sar === undefined) {
      return { side, by: "grams", goldTenthMilligrams: gold_grams, ...partnerTextsOf(texts) };
    }
    if (amount_sar !== undefined && gold_grams === undefined) {
      return { side, by: "amount", amountHalalas: amount_sar, ...partnerTextsOf(texts) };
    }
    const message = gold_grams === undefined
      ? "gold_grams and amount_sar are both missing; send exactly one: the gold to trade, or the amount to trade for."
      : "gold_grams and amount_sar are both present; send exactly one, because the other follows from the price.";
    context.issues.push({ code: "custom", input: undefined, message });
    return z.NEVER;
  });

export const quoteReply = z.object({
  quote_id: idText("qt_"),
  side,
  gold_grams: grams,
  price_per_gram_sar: sarPerGram,
  total_sar: sar.meta({
    description: "The SAR that the order moves, rounded up to the halala for a buy and down for a sell.",
  }),
  status: z.enum(["open", "executed", "expired"]).meta({
    description: "Only an open quote can be executed.",
  }),
  created_at: instant.meta({ description: "When the quote was made." }),
  expires_at: instant.meta({ description: "Until when the price is firm." }),
  reference: repliedReference,
  account_label: repliedAccountLabel,
}).meta({
  id: "Quote",
  description: "A firm price for 60 seconds, for one order. It reserves neither funds nor gold.",
});
export type QuoteReply = z.infer<typeof quoteReply>;

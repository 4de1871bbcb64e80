import { z } from "zod";
import {
  argument,
  gramsIn,
  id,
  instantIn,
  paramsOf,
  priceIn,
  replyOf,
  sarIn,
  sideIn,
  withParam,
} from "./member.ts";
import { ACCOUNT_LABEL, PARTNER_REFERENCE, partnerText } from "./partner_text.ts";
import { amountParam, gramsParam } from "./quantity.ts";
import { requestBody } from "./request_body.ts";
import { openText, side } from "./text.ts";

export const QUOTE = {
  quote_id: id("qt_"),
  side: withParam(sideIn("side"), side),
  gold_grams: withParam(gramsIn("grams"), gramsParam.optional()),
  price_per_gram_sar: priceIn("price"),
  total_sar: sarIn(
    "total",
    "The SAR that the order moves, rounded up to the halala for a buy and down for a sell.",
  ),
  status: argument(openText(["open", "executed", "expired"], "Only an open quote can be executed.")),
  created_at: instantIn("created_at", "When the quote was made."),
  expires_at: instantIn("expires_at", "Until when the price is firm."),
  reference: partnerText(PARTNER_REFERENCE),
  account_label: partnerText(ACCOUNT_LABEL),
} as const;

const { side: sideParam, gold_grams, ...texts } = paramsOf(QUOTE);

/** A request for a quote, by gold or by amount. */
export type QuoteRequest =
  & z.output<z.ZodObject<typeof texts>>
  & { readonly side: z.output<typeof side> }
  & (
    | { readonly by: "grams"; readonly goldTenthMilligrams: bigint }
    | { readonly by: "amount"; readonly amountHalalas: bigint }
  );

export const quoteRequest = requestBody({
  id: "QuoteRequest",
  description: "Exactly one of gold_grams and amount_sar.",
  oneOf: [{ required: ["gold_grams"] }, { required: ["amount_sar"] }],
}, { side: sideParam, gold_grams, amount_sar: amountParam.optional(), ...texts })
  .transform(({ side, gold_grams, amount_sar, ...texts }, context): QuoteRequest => {
    if (gold_grams !== undefined && amount_sar === undefined) {
      return { side, by: "grams", goldTenthMilligrams: gold_grams, ...texts };
    }
    if (amount_sar !== undefined && gold_grams === undefined) {
      return { side, by: "amount", amountHalalas: amount_sar, ...texts };
    }
    const message = gold_grams === undefined
      ? "gold_grams and amount_sar are both missing; send exactly one: the gold to trade, or the amount to trade for."
      : "gold_grams and amount_sar are both present; send exactly one, because the other follows from the price.";
    context.issues.push({ code: "custom", input: undefined, message });
    return z.NEVER;
  });

export const quoteReply = z.object(replyOf(QUOTE)).meta({
  id: "Quote",
  description: "A firm price for 60 seconds, for one order. It reserves neither funds nor gold.",
});
export type QuoteReply = z.infer<typeof quoteReply>;

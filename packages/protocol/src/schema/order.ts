import { z } from "zod";
import { balancesReply } from "./balance.ts";
import { pageOf } from "./page.ts";
import {
  accountLabelParam,
  type PartnerTexts,
  partnerTextsOf,
  referenceParam,
  repliedAccountLabel,
  repliedReference,
} from "./partner_text.ts";
import { grams, sar, sarPerGram } from "./quantity.ts";
import { requestBody } from "./request_body.ts";
import { idText, instant, reservesListIdText, side } from "./text.ts";

// Any string passes here, because a malformed quote_id gets 404 like an unknown one.
export const orderRequest = requestBody({
  id: "OrderRequest",
  description:
    "Executes a firm quote. If you omit `reference` or `account_label`, the order inherits it from the quote.",
}, {
  quote_id: z.string({ error: "quote_id is required: send the quote_id that POST /v1/quotes returned." })
    .meta({ description: "One of your open quotes." }),
  reference: referenceParam,
  account_label: accountLabelParam,
}).transform(({ quote_id, ...texts }): OrderRequest => ({ quoteId: quote_id, ...partnerTextsOf(texts) }));
export interface OrderRequest extends PartnerTexts {
  readonly quoteId: string;
}

export const orderReply = z.object({
  order_id: idText("ord_"),
  quote_id: idText("qt_"),
  side,
  gold_grams: grams.meta({ description: "The gold that moved, in grams, at most 4 decimals." }),
  price_per_gram_sar: sarPerGram,
  total_sar: sar.meta({ description: "The SAR that moved, at most 2 decimals." }),
  status: z.literal("executed").meta({
    description: "An order is executed completely, or it does not exist.",
  }),
  executed_at: instant.meta({ description: "When the order was booked." }),
  reference: repliedReference,
  account_label: repliedAccountLabel,
  reserves_list_id: reservesListIdText.meta({
    description:
      "The list of bars that was in force when the order was executed. Absent for orders before 0.4.0.",
  }).optional(),
}).meta({ id: "Order", description: "An executed order." });
export type OrderReply = z.infer<typeof orderReply>;

export const orderCreatedReply = orderReply.extend({ balances: balancesReply }).meta({
  id: "OrderCreated",
  description: "The order, and the account's balances right after it.",
});
export type OrderCreatedReply = z.infer<typeof orderCreatedReply>;

export const ordersReply = pageOf("Orders", orderReply);
export type OrdersReply = z.infer<typeof ordersReply>;

import { z } from "zod";
import { balancesReply } from "./balance.ts";
import {
  constant,
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
import { pageOf } from "./page.ts";
import { ACCOUNT_LABEL, PARTNER_REFERENCE, partnerText } from "./partner_text.ts";
import { requestBody } from "./request_body.ts";
import { reservesListIdText } from "./text.ts";

export const ORDER = {
  order_id: id("ord_"),
  // Any string passes here, because a malformed quote_id gets 404 like an unknown one.
  quote_id: withParam(
    id("qt_"),
    z.string({ error: "quote_id is required: send the quote_id that POST /v1/quotes returned." })
      .meta({ description: "One of your open quotes." }),
  ),
  side: sideIn("side"),
  gold_grams: gramsIn("grams", "The gold that moved, in grams, at most 4 decimals."),
  price_per_gram_sar: priceIn("price"),
  total_sar: sarIn("total", "The SAR that moved, at most 2 decimals."),
  status: constant("executed", "An order is executed completely, or it does not exist."),
  executed_at: instantIn("executed_at", "When the order was booked."),
  // An order inherits these texts from its quote, each unless its own request gives one.
  reference: partnerText(PARTNER_REFERENCE, { inherited: true }),
  account_label: partnerText(ACCOUNT_LABEL, { inherited: true }),
  reserves_list_id: {
    form: "id",
    prefix: "lst_",
    column: "list_id",
    reply: reservesListIdText.meta({
      description:
        "The list of bars that was in force when the order was executed. Absent for orders before 0.4.0.",
    }).optional(),
  },
} as const;

export const orderRequest = requestBody({
  id: "OrderRequest",
  description:
    "Executes a firm quote. If you omit `reference` or `account_label`, the order inherits it from the quote.",
}, paramsOf(ORDER));
export type OrderRequest = z.output<typeof orderRequest>;

export const orderReply = z.object(replyOf(ORDER)).meta({ id: "Order", description: "An executed order." });
export type OrderReply = z.infer<typeof orderReply>;

export const orderCreatedReply = orderReply.extend({ balances: balancesReply }).meta({
  id: "OrderCreated",
  description: "The order, and the account's balances right after it.",
});
export type OrderCreatedReply = z.infer<typeof orderCreatedReply>;

export const ordersReply = pageOf("Orders", orderReply);
export type OrdersReply = z.infer<typeof ordersReply>;

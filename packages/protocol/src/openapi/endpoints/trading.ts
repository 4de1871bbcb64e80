import { z } from "zod";
import {
  filteredListQuery,
  orderCreatedReply,
  orderReply,
  orderRequest,
  ordersReply,
  priceHistoryQuery,
  priceHistoryReply,
  pricesReply,
  quoteReply,
  quoteRequest,
} from "../../schema/mod.ts";
import { type EndpointFamily, STREAM } from "../endpoint.ts";
import {
  ORDER_REQUESTS,
  ORDERS,
  ORDERS_CREATED,
  PRICE_HISTORY,
  PRICES,
  QUOTE_REQUESTS,
  QUOTES,
} from "../examples/trading.ts";

export const TRADING_ENDPOINTS = {
  getPrices: {
    method: "GET",
    path: "/v1/prices",
    tag: "Trading",
    summary: "Current prices",
    description: "The current buy and sell prices of gold. They are indicative; only a quote is firm.",
    token: "required",
    reply: { description: "The prices.", schema: pricesReply, examples: { open: PRICES } },
    refusals: ["price_unavailable"],
  },
  getPriceHistory: {
    method: "GET",
    path: "/v1/prices/history",
    tag: "Trading",
    summary: "Prices of the last 24 hours",
    description:
      "The buy and sell prices of each minute of the last 24 hours. To follow the prices, repeat the request with " +
      "`after`.",
    token: "required",
    query: priceHistoryQuery,
    reply: { description: "The prices.", schema: priceHistoryReply, examples: { minute: PRICE_HISTORY } },
    refusals: [],
  },
  streamPrices: {
    method: "GET",
    path: "/v1/prices/stream",
    tag: "Trading",
    summary: "A stream of prices",
    description:
      "The reply of GET /v1/prices as server-sent events, whenever a member of it changes, `as_of` included, at " +
      "most four a second. A price that is overtaken by a newer one is left out. The event `unavailable` says " +
      "that there is no fresh price. " +
      STREAM,
    token: "required",
    reply: {
      mediaType: "text/event-stream",
      description: "Each message's `data` is the reply of GET /v1/prices.",
      schema: z.string().meta({ id: "PriceStream", description: "Server-sent events with your prices." }),
      examples: { price: `data: ${JSON.stringify(PRICES)}\n\n` },
    },
    refusals: [],
  },
  createQuote: {
    method: "POST",
    path: "/v1/quotes",
    tag: "Trading",
    summary: "Request a firm quote",
    description:
      "A price that is firm for 60 seconds, for a quantity of gold or for an amount. By gold, the total " +
      "of a buy is rounded up to the halala and the total of a sell is rounded down. By amount, a buy " +
      "gets the gold that the amount pays for and costs at most the amount; a sell gives the gold that is " +
      "needed for the amount and pays at least the amount. A quote reserves neither funds nor gold; both " +
      "are checked when you order.",
    token: "required",
    idempotent: true,
    request: { mediaType: "application/json", schema: quoteRequest, examples: QUOTE_REQUESTS },
    reply: { description: "The quote.", schema: quoteReply, examples: QUOTES },
    refusals: [
      "limit_exceeded",
      "market_closed",
      "open_quotes_exceeded",
      "net_position_exceeded",
      "exposure_exceeded",
      "price_unavailable",
    ],
  },
  getQuote: {
    method: "GET",
    path: "/v1/quotes/{quote_id}",
    tag: "Trading",
    summary: "One quote",
    description: "One of your quotes and its status.",
    token: "required",
    reply: { description: "The quote.", schema: quoteReply, examples: { open: QUOTES.buy_by_grams } },
    refusals: ["not_found"],
  },
  createOrder: {
    method: "POST",
    path: "/v1/orders",
    tag: "Trading",
    summary: "Execute a quote",
    description:
      "Moves the quote's SAR and gold, both or neither, at the quote's own price. The reply is the booked " +
      "result. If no reply reaches you, send the same Idempotency-Key again with a fresh nonce, " +
      "timestamp and signature: you get the same result. GET /v1/orders?idempotency_key= also shows the " +
      "outcome. A refusal binds its key permanently, so a late retry never executes an order that you had " +
      "given up.",
    token: "required",
    signature: "required",
    idempotent: true,
    request: { mediaType: "application/json", schema: orderRequest, examples: ORDER_REQUESTS },
    reply: {
      description: "The executed order, and the account's balances right after it.",
      schema: orderCreatedReply,
      examples: ORDERS_CREATED,
    },
    refusals: [
      "not_found",
      "quote_already_executed",
      "quote_expired",
      "insufficient_funds",
      "insufficient_gold",
      "insufficient_inventory",
    ],
  },
  listOrders: {
    method: "GET",
    path: "/v1/orders",
    tag: "Trading",
    summary: "Your orders",
    description:
      "Newest first, in pages. Paging is stable while orders are added. Filter by your own `reference` and " +
      "`account_label`.",
    token: "required",
    query: filteredListQuery,
    reply: {
      description: "A page of orders.",
      schema: ordersReply,
      examples: { last_page: { items: [ORDERS.sell, ORDERS.buy], next_cursor: null } },
    },
    refusals: [],
  },
  getOrder: {
    method: "GET",
    path: "/v1/orders/{order_id}",
    tag: "Trading",
    summary: "One order",
    description: "One of your orders, as it was executed.",
    token: "required",
    reply: { description: "The order.", schema: orderReply, examples: { buy: ORDERS.buy } },
    refusals: ["not_found"],
  },
} as const satisfies EndpointFamily;

import type { OrderReply, PriceHistoryReply, PricesReply, QuoteReply } from "../../schema/mod.ts";
import { BALANCES, ID, INSTANT, PARTNER_TEXTS, RESERVES_LIST_ID } from "./example_values.ts";

export const PRICES = {
  currency: "SAR",
  unit: "gram",
  purity: "24K",
  buy_price: 401.2,
  sell_price: 398.8,
  as_of: INSTANT.funded,
  market: "open",
} as const satisfies PricesReply;

export const PRICE_HISTORY = {
  currency: "SAR",
  unit: "gram",
  purity: "24K",
  bars: [{
    begins_at: INSTANT.funded,
    buy_price: { first: 401.2, highest: 401.9, lowest: 401.1, last: 401.5 },
    sell_price: { first: 398.8, highest: 399.5, lowest: 398.7, last: 399.1 },
  }],
} as const satisfies Readonly<Record<keyof PriceHistoryReply, unknown>>;

export const QUOTE_REQUESTS = {
  buy_by_grams: { side: "buy", gold_grams: 12.3456, ...PARTNER_TEXTS },
  sell_by_amount: { side: "sell", amount_sar: 1000 },
} as const;

const BUY = { side: "buy", gold_grams: 12.3456, price_per_gram_sar: 401.2, total_sar: 4953.06 } as const;
const SELL = { side: "sell", gold_grams: 2.5076, price_per_gram_sar: 398.8, total_sar: 1000.03 } as const;

export const QUOTES = {
  buy_by_grams: {
    quote_id: ID.buyQuote,
    ...BUY,
    status: "open",
    created_at: INSTANT.quotedBuy,
    expires_at: "2026-01-31T09:32:00.000Z",
    ...PARTNER_TEXTS,
  },
  sell_by_amount: {
    quote_id: ID.sellQuote,
    ...SELL,
    status: "open",
    created_at: INSTANT.quotedSell,
    expires_at: "2026-01-31T09:33:00.000Z",
  },
} as const satisfies Record<string, QuoteReply>;

export const ORDER_REQUESTS = {
  buy: { quote_id: ID.buyQuote },
  sell: { quote_id: ID.sellQuote },
} as const;

export const ORDERS = {
  buy: {
    order_id: ID.buyOrder,
    quote_id: ID.buyQuote,
    ...BUY,
    status: "executed",
    executed_at: INSTANT.bought,
    ...PARTNER_TEXTS,
    reserves_list_id: RESERVES_LIST_ID,
  },
  sell: {
    order_id: ID.sellOrder,
    quote_id: ID.sellQuote,
    ...SELL,
    status: "executed",
    executed_at: INSTANT.sold,
    reserves_list_id: RESERVES_LIST_ID,
  },
} as const satisfies Record<string, OrderReply>;

export const ORDERS_CREATED = {
  buy: { ...ORDERS.buy, balances: BALANCES.bought },
  sell: { ...ORDERS.sell, balances: BALANCES.sold },
} as const;

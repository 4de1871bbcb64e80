// The examples of the OpenAPI document agree with each other. Most belong to one morning of a new partner; a
// few events are later. The balances follow from the funding, the orders and the withdrawal, and the totals
// from the prices and the rounding rules.
import type { BalancesReply } from "../../schema/mod.ts";

export const INSTANT = {
  funded: "2026-01-31T09:30:00.000Z",
  quotedBuy: "2026-01-31T09:31:00.000Z",
  bought: "2026-01-31T09:31:15.000Z",
  quotedSell: "2026-01-31T09:32:00.000Z",
  sold: "2026-01-31T09:32:10.000Z",
  withdrawn: "2026-01-31T09:35:00.000Z",
  cancelled: "2026-01-31T09:35:30.000Z",
  read: "2026-01-31T09:36:00.000Z",
  keyRequested: "2026-01-31T09:38:00.000Z",
  certificateRequested: "2026-01-31T09:38:30.000Z",
  rangeRequested: "2026-01-31T09:39:00.000Z",
} as const;

export const ID = {
  funding: "fnd_019c1363-49c0-754f-9307-2cecac6c2cec",
  fundingEvent: "evt_019c1363-49c0-78d8-836e-065915491347",
  buyQuote: "qt_019c1364-3420-7bbf-8392-5a8225f16878",
  buyOrder: "ord_019c1364-6eb8-739a-82ca-327a22aa2d59",
  buyEvent: "evt_019c1364-6eb8-7020-90c0-f0601000cb9f",
  sellQuote: "qt_019c1365-1e80-73d7-bbcf-5387abffc337",
  sellOrder: "ord_019c1365-4590-7664-84a4-04e444bf8392",
  withdrawal: "wd_019c1367-dda0-7bd6-8edc-12da020a72ba",
  withdrawalEvent: "evt_019c1367-dda0-72ea-929a-c265310db990",
  change: "chg_019c136a-b8e0-7d3b-9a51-6f20e4c8b7d1",
  certificateChange: "chg_019c136b-2e10-7a94-8c07-15b3d9e6f842",
  rangeChange: "chg_019c136b-a340-7e6f-b218-c47a0d5e9316",
  request: "req_019c1368-04b0-70b0-bbcf-53872173f8c8",
} as const;

export const CLIENT_ID = "sbx_k2m7q4x9t3v8n5r6b2hd";

export const DIGEST = {
  certificate: "cee61e91ed19d5e1fd8464c43f39476bbf831f63573bea086a521a424a4df9d0",
  iban: "95dbcef204cab73c3c196190da21ee4d7560b3285f65ae02ea0715941478ffae",
  previousList: "ae4d23bfc56262722edb8c3dcc6436f8e2db7bfc65a248c1351de8fb69b64216",
  list: "28d054df51a17fe1d722b2ad8d1f74657aeeaab53115ab4cf28eecb790f03b17",
  chainHead: "c08b5f3e960e26f96b6c2cec48d828d33d5fda020a72bafde965310d54f4144f",
  answer: "9981b3c2f07bf4a452f4f58c2cb0199e23c4b5b67a3177dcbcf24a74fcb24ed9",
  chainKey: "5f1d6e0c83b94a27d2f07c6be1a9358406bd7e94c2f81a3d5e60b7924cd8f135",
} as const;

/** The partner's own texts of the bought gold. The order inherits them from its quote. */
export const PARTNER_TEXTS = { reference: "ORDER 2026-1017", account_label: "Retail desk" } as const;
/** The list of bars in force during the whole morning. */
export const RESERVES_LIST_ID = "lst_4";

/** The RFC 7638 thumbprint of the example key in RFC 6979, A.2.5. */
export const THUMBPRINT = "DOvxvJiAdIqVWIkFt5hDtCunXLF0BV4-JGv4f-ALSm0";

/** The balances after each step of the morning, in the order of time. */
export const BALANCES = {
  funded: { sar: { available: 100000, held: 0 }, gold: { grams: 0 }, as_of: INSTANT.funded },
  bought: { sar: { available: 95046.94, held: 0 }, gold: { grams: 12.3456 }, as_of: INSTANT.bought },
  sold: { sar: { available: 96046.97, held: 0 }, gold: { grams: 9.838 }, as_of: INSTANT.sold },
  withdrawn: { sar: { available: 91046.97, held: 5000 }, gold: { grams: 9.838 }, as_of: INSTANT.withdrawn },
  // What a cancellation would give back.
  cancelled: { sar: { available: 96046.97, held: 0 }, gold: { grams: 9.838 }, as_of: INSTANT.cancelled },
  now: {
    sar: { available: 91046.97, held: 5000 },
    gold: {
      grams: 9.838,
      reserves: { reserves_list_id: RESERVES_LIST_ID, fine_grams: 12440.1558, share: "0.000790826108" },
    },
    as_of: INSTANT.read,
  },
} as const satisfies Record<string, BalancesReply>;

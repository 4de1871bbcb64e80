import {
  type AccountReply,
  type CredentialsReply,
  type LimitsReply,
  type ReservesListReply,
  type ReservesReply,
  type StatementReply,
  statementReply,
} from "../../schema/mod.ts";
import { WITHDRAWAL_REQUEST } from "./money.ts";
import {
  CLIENT_ID,
  DIGEST,
  ID,
  INSTANT,
  PARTNER_TEXTS,
  RESERVES_LIST_ID,
  THUMBPRINT,
} from "./example_values.ts";

const SOLD = { reserves_list_id: RESERVES_LIST_ID } as const;
const BOUGHT = { ...PARTNER_TEXTS, ...SOLD } as const;
const PAID_OUT = { reference: WITHDRAWAL_REQUEST.reference } as const;

export const STATEMENT = {
  from: "2026-01-31",
  to: "2026-01-31",
  time_zone: "Asia/Riyadh",
  opening_balance: { available_sar: 0, held_sar: 0, gold_grams: 0 },
  closing_balance: { available_sar: 91046.97, held_sar: 5000, gold_grams: 9.838 },
  postings: [
    posting(INSTANT.funded, ID.funding, "funding.completed", "available_sar", 100000, 100000, {}),
    posting(INSTANT.bought, ID.buyOrder, "order.executed", "available_sar", -4953.06, 95046.94, BOUGHT),
    posting(INSTANT.bought, ID.buyOrder, "order.executed", "gold_grams", 12.3456, 12.3456, BOUGHT),
    posting(INSTANT.sold, ID.sellOrder, "order.executed", "available_sar", 1000.03, 96046.97, SOLD),
    posting(INSTANT.sold, ID.sellOrder, "order.executed", "gold_grams", -2.5076, 9.838, SOLD),
    posting(
      INSTANT.withdrawn,
      ID.withdrawal,
      "withdrawal.created",
      "available_sar",
      -5000,
      91046.97,
      PAID_OUT,
    ),
    posting(INSTANT.withdrawn, ID.withdrawal, "withdrawal.created", "held_sar", 5000, 5000, PAID_OUT),
  ],
} satisfies StatementReply;

type Posting = StatementReply["postings"][number];

/** `more` is generic, so that the result has no optional member. An optional member is no JSON value. */
function posting<More extends Readonly<Record<string, string>>>(
  posted_at: string,
  id: string,
  type: string,
  account: Posting["account"],
  change: number,
  balance_after: number,
  more: More,
) {
  return { posted_at, id, type, account, change, balance_after, ...more };
}

const COLUMNS = Object.keys(statementReply.shape.postings.element.shape) as (keyof Posting)[];

const balanceRows = (type: string, balance: StatementReply["opening_balance"]) =>
  Object.entries(balance).map(([account, balance_after]) => cellsOf({ type, account, balance_after }));

const cellsOf = (row: { readonly [name in keyof Posting]?: unknown }) => COLUMNS.map((name) => row[name]);

/** The same statement as CSV. */
export const STATEMENT_CSV: string = [
  COLUMNS,
  ...balanceRows("opening_balance", STATEMENT.opening_balance),
  ...STATEMENT.postings.map(cellsOf),
  ...balanceRows("closing_balance", STATEMENT.closing_balance),
].map((cells) => `${cells.join(",")}\r\n`).join("");

const BAR = {
  serial: "EX-2026-0001",
  refiner: "Example Refinery",
  vault: "Riyadh",
  gross_grams: 12441.4,
  fineness: 999.9,
  fine_grams: 12440.1558,
};

export const RESERVES = {
  bars: [BAR],
  fine_grams: 12440.1558,
  owed_grams: 9.838,
  coverage: 1264.5004,
  as_of: INSTANT.read,
  reserves_list_id: RESERVES_LIST_ID,
} satisfies ReservesReply;

export const CHAIN_KEY = { client_number: 1, chain_key: DIGEST.chainKey };
export const RESERVES_LIST = {
  reserves_list_id: RESERVES_LIST_ID,
  created_at: "2026-01-30T08:00:00.000Z",
  bars: [BAR],
  fine_grams: RESERVES.fine_grams,
  previous_sha256: DIGEST.previousList,
  sha256: DIGEST.list,
} satisfies ReservesListReply;

export const LIMITS = {
  gold_grams: { step: 0.0001, minimum: 0.0001, maximum: 1000 },
  amount_sar: { step: 0.01, minimum: 0.01, maximum: 10_000_000_000 },
  smallest_trade: {
    buy: { gold_grams: 0.0001, amount_sar: 0.05 },
    sell: { gold_grams: 0.0001, amount_sar: 0.03 },
  },
  quote_ttl_seconds: 60,
  rate_limit: { requests_per_second: 50, burst: 200 },
  streams: { maximum: 50 },
  open_quotes: { maximum_quotes: 100, quotes: 2, maximum_gold_grams: 5000, gold_grams: 1.5 },
  daily_records: { maximum_records: 100_000, records: 812, resets_at: "2026-01-31T21:00:00.000Z" },
  net_position: {
    maximum_gold_grams: 10_000,
    buy_gold_grams: 9998.5,
    sell_gold_grams: 10_000,
    resets_at: "2026-01-31T21:00:00.000Z",
  },
  daily_withdrawals: {
    maximum_withdrawals: 20,
    withdrawals: 1,
    maximum_amount_sar: 10_000_000,
    amount_sar: 250,
    resets_at: "2026-01-31T21:00:00.000Z",
  },
  exposure: null,
  market_hours: {
    always_open: false,
    time_zone: "Asia/Riyadh",
    sessions: [
      { day: "sunday", opens: "09:00", closes: "21:00" },
      { day: "monday", opens: "09:00", closes: "21:00" },
    ],
    halted_at: null,
  },
} satisfies LimitsReply;

const LIFE = { not_before: "2026-01-30T08:00:00.000Z", retire_at: null, last_used_at: INSTANT.read };

export const CREDENTIALS = {
  certificates: [{
    sha256: DIGEST.certificate,
    expires_at: "2027-01-30T08:00:00.000Z",
    revoked_at: null,
    ...LIFE,
  }],
  signing_keys: [{ kid: "signing-2026-01", thumbprint: THUMBPRINT, ...LIFE }],
  client_secrets: [{ secret_id: "1", ...LIFE, retire_at: "2026-07-30T08:00:00.000Z" }],
  webhook_secrets: [{ secret_id: "1", endpoint: 1, ...LIFE, last_used_at: null }],
} satisfies CredentialsReply;

export const ACCOUNT = {
  client_id: CLIENT_ID,
  name: "Example Bank",
  environment: "sandbox",
  status: "active",
  created_at: "2026-01-30T08:00:00.000Z",
  ip_ranges: ["127.0.0.1/32", "::1/128"],
  settlement: { iban_masked: "SA03****************7519", payouts_held_until: null },
  webhook_endpoints: [{
    ...{
      endpoint: 1,
      url: "https://bank.example/webhooks",
      types: null,
      delivered_to: 8,
      status: "working",
      failures: 0,
      rests_until: null,
      disabled_at: null,
    },
  }],
  credentials: CREDENTIALS,
  limits: LIMITS,
} satisfies AccountReply;

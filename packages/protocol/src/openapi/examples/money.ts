import type { FundingReply, WithdrawalReply } from "../../schema/mod.ts";
import { BALANCES, ID, INSTANT } from "./example_values.ts";

export const FUND_REQUEST = { amount_sar: 100000 } as const;

const FUNDED = { funding_id: ID.funding, amount_sar: 100000, created_at: INSTANT.funded } as const;

export const FUNDING = { ...FUNDED, reversed_at: null } as const satisfies FundingReply;

export const FUNDING_CREATED = { ...FUNDED, balances: BALANCES.funded } as const;

export const WITHDRAWAL_REQUEST = { amount_sar: 5000, reference: "SETTLEMENT-2026-01-31" } as const;

const REQUESTED = {
  withdrawal_id: ID.withdrawal,
  amount_sar: 5000,
  reference: WITHDRAWAL_REQUEST.reference,
  iban_masked: "SA03****************7519",
  status: "pending_approval",
  created_at: INSTANT.withdrawn,
} as const;

export const WITHDRAWAL = {
  ...REQUESTED,
  bank_reference: null,
  expected_on: null,
} as const satisfies WithdrawalReply;

/** What a withdrawal has from its submission on. */
export const SUBMITTED = {
  bank_reference: ID.withdrawal.slice("wd_".length).replaceAll("-", ""),
  expected_on: "2026-02-02",
} as const;

export const WITHDRAWAL_CREATED = { ...REQUESTED, balances: BALANCES.withdrawn } as const;

export const WITHDRAWAL_CANCELLED = {
  ...REQUESTED,
  status: "cancelled",
  balances: BALANCES.cancelled,
} as const;

import {
  emptyRequest,
  filteredListQuery,
  fundingCreatedReply,
  fundingReply,
  fundingsReply,
  fundRequest,
  listQuery,
  withdrawalCreatedReply,
  withdrawalReply,
  withdrawalRequest,
  withdrawalsReply,
} from "../../schema/mod.ts";
import type { EndpointFamily } from "../endpoint.ts";
import {
  FUND_REQUEST,
  FUNDING,
  FUNDING_CREATED,
  WITHDRAWAL,
  WITHDRAWAL_CANCELLED,
  WITHDRAWAL_CREATED,
  WITHDRAWAL_REQUEST,
} from "../examples/money.ts";

export const MONEY_ENDPOINTS = {
  fundSandbox: {
    method: "POST",
    path: "/sandbox/fund",
    tag: "Money",
    summary: "Book SAR to your own account",
    description:
      "Test money for the sandbox. In production this path does not exist, and money arrives by bank " +
      "transfer. A token is not required, but a token that you send must be valid.",
    token: "checked",
    idempotent: true,
    sandboxOnly: true,
    request: { mediaType: "application/json", schema: fundRequest, examples: { fund: FUND_REQUEST } },
    reply: {
      description: "The funding, and the account's balances right after it.",
      schema: fundingCreatedReply,
      examples: { fund: FUNDING_CREATED },
    },
    refusals: ["limit_exceeded"],
  },
  createWithdrawal: {
    method: "POST",
    path: "/v1/withdrawals",
    tag: "Money",
    summary: "Withdraw SAR to your registered IBAN",
    description:
      "Holds the amount at once. One employee of the operator approves the payment, and another one submits " +
      "it. The payment always goes to the IBAN that is registered at the time of the request. The amount of a " +
      "rejected, returned or cancelled withdrawal is available again. A reference that is in use by another withdrawal " +
      "is refused until that withdrawal is rejected, returned or cancelled. So your own reference prevents a double " +
      "payment even under another Idempotency-Key.",
    token: "required",
    signature: "required",
    idempotent: true,
    request: {
      mediaType: "application/json",
      schema: withdrawalRequest,
      examples: { withdrawal: WITHDRAWAL_REQUEST },
    },
    reply: {
      description: "The withdrawal, and the account's balances right after it.",
      schema: withdrawalCreatedReply,
      examples: { withdrawal: WITHDRAWAL_CREATED },
    },
    refusals: [
      "insufficient_funds",
      "limit_exceeded",
      "withdrawal_limit_exceeded",
      "withdrawal_reference_reused",
    ],
  },
  cancelWithdrawal: {
    method: "POST",
    path: "/v1/withdrawals/{withdrawal_id}/cancel",
    tag: "Money",
    summary: "Cancel a withdrawal that waits for approval",
    description:
      "The amount is available again at once, in the same transaction. As soon as the operator has approved the " +
      "withdrawal, it can no longer be cancelled: exactly one of the two succeeds. Sign the request as an order. The " +
      "body is an empty JSON object.",
    token: "required",
    signature: "required",
    idempotent: true,
    request: {
      mediaType: "application/json",
      schema: emptyRequest,
      examples: { cancelled: {} },
    },
    reply: {
      description: "The withdrawal, which is now cancelled, and the account's balances right after it.",
      schema: withdrawalCreatedReply,
      examples: { cancelled: WITHDRAWAL_CANCELLED },
    },
    refusals: ["not_found", "withdrawal_not_pending"],
  },
  listWithdrawals: {
    method: "GET",
    path: "/v1/withdrawals",
    tag: "Money",
    summary: "Your withdrawals",
    description:
      "Newest first, in pages. Paging is stable while withdrawals are added. Filter by your own `reference` and " +
      "`account_label`.",
    token: "required",
    query: filteredListQuery,
    reply: {
      description: "A page of withdrawals.",
      schema: withdrawalsReply,
      examples: { last_page: { items: [WITHDRAWAL], next_cursor: null } },
    },
    refusals: [],
  },
  getWithdrawal: {
    method: "GET",
    path: "/v1/withdrawals/{withdrawal_id}",
    tag: "Money",
    summary: "One withdrawal",
    description: "One of your withdrawals and its status.",
    token: "required",
    reply: {
      description: "The withdrawal.",
      schema: withdrawalReply,
      examples: { waits_for_approval: WITHDRAWAL },
    },
    refusals: ["not_found"],
  },
  listFundings: {
    method: "GET",
    path: "/v1/fundings",
    tag: "Money",
    summary: "Your fundings",
    description: "Newest first, in pages. Paging is stable while fundings are added.",
    token: "required",
    query: listQuery,
    reply: {
      description: "A page of fundings.",
      schema: fundingsReply,
      examples: { last_page: { items: [FUNDING], next_cursor: null } },
    },
    refusals: [],
  },
  getFunding: {
    method: "GET",
    path: "/v1/fundings/{funding_id}",
    tag: "Money",
    summary: "One funding",
    description: "One of your fundings: money that arrived.",
    token: "required",
    reply: { description: "The funding.", schema: fundingReply, examples: { funding: FUNDING } },
    refusals: ["not_found"],
  },
} as const satisfies EndpointFamily;

import { z } from "zod";
import { balancesReply } from "./balance.ts";
import { id, instantIn, paramsOf, replyOf, sarIn, withParam } from "./member.ts";
import { pageOf } from "./page.ts";
import { amountParam } from "./quantity.ts";
import { requestBody } from "./request_body.ts";
import { instant } from "./text.ts";

export const FUNDING = {
  funding_id: id("fnd_"),
  amount_sar: withParam(sarIn("amount", "The amount of the funding, at most 2 decimals."), amountParam),
  created_at: instantIn("created_at", "When the funding was booked."),
} as const;

export const fundRequest = requestBody({
  id: "FundRequest",
  description: "Adds SAR to the caller's own account. Available only in the sandbox.",
}, paramsOf(FUNDING)).transform(({ amount_sar }): FundRequest => ({ amountHalalas: amount_sar }));
export interface FundRequest {
  readonly amountHalalas: bigint;
}

export const fundingReply = z.object({
  ...replyOf(FUNDING),
  reversed_at: instant.nullable().meta({
    description:
      "When the funding was reversed because the bank took the money back; null if it was not reversed.",
  }),
}).meta({
  id: "Funding",
  description: "SAR that were added to the account.",
});
export type FundingReply = z.infer<typeof fundingReply>;

export const fundingCreatedReply = fundingReply.omit({ reversed_at: true }).extend({
  balances: balancesReply,
}).meta({
  id: "FundingCreated",
  description: "The funding, and the account's balances right after it.",
});
export type FundingCreatedReply = z.infer<typeof fundingCreatedReply>;

export const fundingsReply = pageOf("Fundings", fundingReply);
export type FundingsReply = z.infer<typeof fundingsReply>;

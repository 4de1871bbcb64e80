import { z } from "zod";
import { REFERENCE_FORM, REFERENCE_MAX_CHARACTERS } from "../limit.ts";
import { balancesReply } from "./balance.ts";
import { pageOf } from "./page.ts";
import { accountLabelParam, type PartnerTexts, repliedAccountLabel } from "./partner_text.ts";
import { amountParam, sar } from "./quantity.ts";
import { requestBody } from "./request_body.ts";
import { idText, instant } from "./text.ts";

const REFERENCE_RULE =
  `A reference must be a string of at most ${REFERENCE_MAX_CHARACTERS} characters: letters, digits, space and ` +
  "_ / - ? : ( ) . , ' + without a space or slash at either end.";

export const withdrawalRequest = requestBody({
  id: "WithdrawalRequest",
  description: "Pays SAR out to the registered IBAN, once the operator has approved it.",
}, {
  amount_sar: amountParam,
  reference: z.string({ error: REFERENCE_RULE }).regex(REFERENCE_FORM, REFERENCE_RULE).meta({
    description:
      `Your own reference. It is sent to the bank with the transfer, so it has ${REFERENCE_MAX_CHARACTERS} characters at most (a UUID fits without its hyphens). ` +
      "You can use a reference again only after its withdrawal was rejected or returned.",
    maxLength: REFERENCE_MAX_CHARACTERS,
  }).optional(),
  account_label: accountLabelParam,
}).transform(({ amount_sar, reference, account_label }): WithdrawalRequest => ({
  amountHalalas: amount_sar,
  reference: reference || null,
  accountLabel: account_label ?? null,
}));
export interface WithdrawalRequest extends PartnerTexts {
  readonly amountHalalas: bigint;
}

export const withdrawalStatus = z.enum([
  "pending_approval",
  "approved",
  "submitted",
  "paid",
  "rejected",
  "returned",
]).meta({
  description:
    "pending_approval: the operator has not decided. approved, submitted: on its way to the bank. paid: done. " +
    "rejected, returned: the amount is available again.",
});
export type WithdrawalStatus = z.infer<typeof withdrawalStatus>;

export const withdrawalReply = z.object({
  withdrawal_id: idText("wd_"),
  amount_sar: sar.meta({ description: "The SAR to pay out, at most 2 decimals." }),
  reference: z.string().nullable().meta({ description: "Your own reference, or null if you sent none." }),
  iban_masked: z.string().meta({
    description:
      "The first and last four characters of the IBAN that was registered at the time of the request.",
  }),
  status: withdrawalStatus,
  created_at: instant.meta({ description: "When you requested the withdrawal." }),
  account_label: repliedAccountLabel,
}).meta({
  id: "Withdrawal",
  description: "An outgoing payment. If it is rejected or returned, the amount is available again.",
});
export type WithdrawalReply = z.infer<typeof withdrawalReply>;

export const withdrawalCreatedReply = withdrawalReply.extend({ balances: balancesReply }).meta({
  id: "WithdrawalCreated",
  description: "The withdrawal, and the account's balances right after it.",
});
export type WithdrawalCreatedReply = z.infer<typeof withdrawalCreatedReply>;

export const withdrawalsReply = pageOf("Withdrawals", withdrawalReply);
export type WithdrawalsReply = z.infer<typeof withdrawalsReply>;

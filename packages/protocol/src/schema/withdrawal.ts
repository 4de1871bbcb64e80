import { z } from "zod";
import { REFERENCE_FORM, REFERENCE_MAX_CHARACTERS } from "../limit.ts";
import { balancesReply } from "./balance.ts";
import { argument, ibanIn, id, instantIn, paramsOf, replyOf, sarIn, textIn, withParam } from "./member.ts";
import { pageOf } from "./page.ts";
import { ACCOUNT_LABEL, partnerText } from "./partner_text.ts";
import { amountParam } from "./quantity.ts";
import { requestBody } from "./request_body.ts";
import { date, openText } from "./text.ts";

const REFERENCE_RULE =
  `A reference must be a string of at most ${REFERENCE_MAX_CHARACTERS} characters: letters, digits, space and ` +
  "_ / - ? : ( ) . , ' + without a space or slash at either end.";

export const WITHDRAWAL_STATUSES = [
  "pending_approval",
  "approved",
  "submitted",
  "paid",
  "rejected",
  "returned",
  "cancelled",
] as const;
export type WithdrawalStatus = (typeof WITHDRAWAL_STATUSES)[number];

export const WITHDRAWAL = {
  withdrawal_id: id("wd_"),
  amount_sar: withParam(sarIn("amount", "The SAR to pay out, at most 2 decimals."), amountParam),
  reference: withParam(
    textIn(
      "reference",
      z.string().nullable().meta({ description: "Your own reference, or null if you sent none." }),
    ),
    z.string({ error: REFERENCE_RULE }).regex(REFERENCE_FORM, REFERENCE_RULE).meta({
      description:
        `Your own reference. It is sent to the bank with the transfer, so it has ${REFERENCE_MAX_CHARACTERS} characters at most (a UUID fits without its hyphens). ` +
        "You can use a reference again only after its withdrawal was rejected, returned or cancelled.",
      maxLength: REFERENCE_MAX_CHARACTERS,
    }).optional(),
  ),
  iban_masked: ibanIn(
    "iban",
    "The first and last four characters of the IBAN that was registered at the time of the request.",
  ),
  status: argument(openText(
    WITHDRAWAL_STATUSES,
    "pending_approval: the operator has not decided. approved, submitted: on its way to the bank. paid: done. " +
      "rejected, returned: the amount is available again. cancelled: you cancelled it, and the amount is available again.",
  )),
  created_at: instantIn("created_at", "When you requested the withdrawal."),
  account_label: partnerText(ACCOUNT_LABEL),
} as const;

export const withdrawalRequest = requestBody({
  id: "WithdrawalRequest",
  description: "Pays SAR out to the registered IBAN, once the operator has approved it.",
}, paramsOf(WITHDRAWAL)).transform(({ amount_sar, reference, ...texts }) => ({
  ...texts,
  amountHalalas: amount_sar,
  // An empty reference is the same as none.
  reference: reference || undefined,
}));
export type WithdrawalRequest = z.output<typeof withdrawalRequest>;

export const withdrawalReply = z.object({
  ...replyOf(WITHDRAWAL),
  bank_reference: z.string().nullable().meta({
    description:
      "The reference of the payment at the banks (EndToEndId), with which your bank finds it; null until the " +
      "payment is submitted.",
  }),
  expected_on: date.nullable().meta({
    description:
      "The day on which the operator's bank is to pay, in Asia/Riyadh; null until the payment is submitted.",
  }),
}).meta({
  id: "Withdrawal",
  description:
    "An outgoing payment. If it is rejected, returned or cancelled, the amount is available again.",
});
export type WithdrawalReply = z.infer<typeof withdrawalReply>;

export const withdrawalCreatedReply = withdrawalReply.omit({ bank_reference: true, expected_on: true })
  .extend({
    balances: balancesReply,
  }).meta({
    id: "WithdrawalCreated",
    description: "The withdrawal, and the account's balances right after the request.",
  });
export type WithdrawalCreatedReply = z.infer<typeof withdrawalCreatedReply>;

export const withdrawalsReply = pageOf("Withdrawals", withdrawalReply);
export type WithdrawalsReply = z.infer<typeof withdrawalsReply>;

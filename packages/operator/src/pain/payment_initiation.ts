// Writes withdrawals as one payment order to the operator's bank: pain.001.001.09 of ISO 20022,
// CustomerCreditTransferInitiationV09.
import { AMOUNT_MAX_HALALAS, formatHalalas, formatInstant, parseInstant } from "@gold-partner/protocol";
import { checkBic, checkIban, checkId, checkText, refuse } from "./payment_text.ts";
import { writeXml, type XmlElement } from "./xml.ts";

export interface PaymentBatch {
  /**
   * Identifies the document at the bank. The bank treats a second document with the same id as a duplicate.
   */
  readonly messageId: string;
  /**
   * When the batch was made, not when the document is written, so that the same batch always gives the same
   * bytes.
   */
  readonly createdAt: Date;
  /** A day in Asia/Riyadh, such as 2026-01-31. */
  readonly requestedExecutionDate: string;
  /** The payer: the operating company's name, account and bank. */
  readonly debtor: { readonly name: string; readonly iban: string; readonly bic: string };
  readonly payments: readonly Payment[];
}

export interface Payment {
  /**
   * The bank passes this id on to the creditor and quotes it with a returned payment. For a withdrawal, the
   * id is `compactUuid()` of the withdrawal's UUID.
   */
  readonly endToEndId: string;
  readonly amountHalalas: bigint;
  readonly creditorName: string;
  readonly creditorIban: string;
  readonly reference: string | null;
}

const NAMESPACE = "urn:iso:std:iso:20022:tech:xsd:pain.001.001.09";
/** Riyadh has no daylight saving time. */
const RIYADH_OFFSET_MS = 3 * 3_600_000;

/** The calendar day in Riyadh at this instant. */
export function dayInRiyadh(at: Date): string {
  return formatInstant(at.getTime() + RIYADH_OFFSET_MS).slice(0, 10);
}

/**
 * Returns the document, or refuses the whole batch. No payment is left out, and no text is cut or replaced.
 */
export function writePaymentInitiation(batch: PaymentBatch): string {
  const messageId = checkId("The message id", batch.messageId);
  const payments = orderPayments(batch.payments);
  const debtorName: XmlElement = ["Nm", checkText("The debtor's name", batch.debtor.name)];
  const totals: readonly XmlElement[] = [
    ["NbOfTxs", `${payments.length}`],
    ["CtrlSum", formatAmount(payments.reduce((sum, { amountHalalas }) => sum + amountHalalas, 0n))],
  ];
  return writeXml(["Document", [
    ["CstmrCdtTrfInitn", [
      ["GrpHdr", [
        ["MsgId", messageId],
        ["CreDtTm", formatInstant(batch.createdAt.getTime())],
        ...totals,
        ["InitgPty", [debtorName]],
      ]],
      ["PmtInf", [
        // Use the message's id for the payment block, because the document has only one block.
        ["PmtInfId", messageId],
        ["PmtMtd", "TRF"],
        ...totals,
        ["ReqdExctnDt", [["Dt", checkExecutionDate(batch)]]],
        ["Dbtr", [debtorName]],
        ["DbtrAcct", buildAccount(checkIban("The debtor's IBAN", batch.debtor.iban))],
        ["DbtrAgt", [["FinInstnId", [["BICFI", checkBic("The debtor's bank", batch.debtor.bic)]]]]],
        ...payments.map(buildTransfer),
      ]],
    ]],
  ], { xmlns: NAMESPACE }]);
}

/**
 * The element CdtrAgt (the creditor's bank) is left out: a Saudi IBAN names its bank, and the BIC of that
 * bank is not on record.
 */
function buildTransfer(payment: Payment): XmlElement {
  const endToEndId = checkId("The end-to-end id", payment.endToEndId);
  const of = `of payment ${endToEndId}`;
  const { creditorName, creditorIban, reference } = payment;
  return ["CdtTrfTxInf", [
    ["PmtId", [["EndToEndId", endToEndId]]],
    ["Amt", [["InstdAmt", formatAmount(checkAmount(payment)), { Ccy: "SAR" }]]],
    ["Cdtr", [["Nm", checkText(`The creditor's name ${of}`, creditorName)]]],
    ["CdtrAcct", buildAccount(checkIban(`The creditor's IBAN ${of}`, creditorIban))],
    ...(reference === null ? [] : [buildRemittance(checkText(`The reference ${of}`, reference))]),
  ]];
}

const buildAccount = (iban: string): readonly XmlElement[] => [["Id", [["IBAN", iban]]]];
const buildRemittance = (reference: string): XmlElement => ["RmtInf", [["Ustrd", reference]]];

/** Sorts the payments by id, so that the same payments in another order give the same bytes. */
function orderPayments(payments: readonly Payment[]): readonly Payment[] {
  if (payments.length === 0) {
    throw refuse("The batch has no payments. A bank refuses an empty document, so none was written.");
  }
  const last = new Map(payments.map(({ endToEndId }, index) => [endToEndId, index]));
  const twice = payments.find(({ endToEndId }, index) => last.get(endToEndId) !== index);
  if (twice) {
    throw refuse(
      `Two payments of the batch have the end-to-end id ${twice.endToEndId}. The bank could treat one as a duplicate and not pay it.`,
    );
  }
  return [...payments].sort((left, right) => left.endToEndId < right.endToEndId ? -1 : 1);
}

function checkAmount({ endToEndId, amountHalalas }: Payment): bigint {
  if (amountHalalas > 0n && amountHalalas <= AMOUNT_MAX_HALALAS) return amountHalalas;
  throw refuse(
    `Payment ${endToEndId} has an amount of ${
      formatHalalas(amountHalalas)
    } SAR; it must be above 0 and at most ${formatHalalas(AMOUNT_MAX_HALALAS)} SAR.`,
  );
}

function checkExecutionDate({ requestedExecutionDate: date, createdAt }: PaymentBatch): string {
  if (parseInstant(`${date}T00:00:00.000Z`) === undefined) {
    throw refuse(
      `The execution date must be a calendar date such as 2026-01-31; got ${JSON.stringify(date)}.`,
    );
  }
  const createdOn = dayInRiyadh(createdAt);
  if (date < createdOn) {
    throw refuse(
      `The execution date ${date} is before ${createdOn}, the day in Riyadh on which the batch was made. Give that day or a later one.`,
    );
  }
  return date;
}

/** Always writes two decimals, as banks print SAR. */
function formatAmount(halalas: bigint): string {
  const digits = `${halalas}`.padStart(3, "0");
  return `${digits.slice(0, -2)}.${digits.slice(-2)}`;
}

import {
  ibanRow,
  nameRow,
  type Payer,
  payerRow,
  paymentRow,
  type SignedRows,
  UnsignedRow,
} from "@gold-partner/approvals";
import { dayOf, makeDocument } from "@gold-partner/audit";
import type { Row as SqlRow } from "postgres";
import { EXIT, Failure } from "../../failure.ts";

interface Batch {
  readonly id: string;
  readonly document: string;
  /** Rows of withdrawal_overview. */
  readonly payments: readonly SqlRow[];
}

/**
 * Throws unless the document pays exactly these withdrawals. With `signed`, two people must also have signed
 * for each IBAN and name, and for the account that pays. The database builds the document, so this makes it
 * again.
 */
export function verifyDocument({ id, document, payments }: Batch, signed: SignedRows | undefined): void {
  const ordered = [...payments].sort((one, other) => one.id < other.id ? -1 : 1);
  const { createdAt, payer, names } = readParties(document);
  const made = makeDocument({
    id,
    createdAt,
    day: dayOf(Date.parse(createdAt)),
    payer,
    payments: ordered.map((one, index) => ({
      id: one.id,
      halalas: BigInt(one.amount),
      name: names[index] ?? "",
      iban: one.iban,
      reference: one.reference,
    })),
  });
  if (made !== document) {
    throw new Failure(
      EXIT.defect,
      "document_differs",
      `The document of batch ${id} does not pay these withdrawals. Nothing was done. Report this, because the database may have been edited.`,
    );
  }
  try {
    signed?.demand(payerRow(payer));
    for (const [index, one] of ordered.entries()) {
      signed?.demand(ibanRow(one.public_id, one.iban));
      signed?.demand(nameRow(one.public_id, names[index]));
    }
  } catch (error) {
    if (!(error instanceof UnsignedRow)) throw error;
    throw new Failure(
      EXIT.refused,
      "unsigned",
      `${error.message} Nothing was done. Ask who changed it. If it is right, sign for it with \`gold registry adopt\`.`,
    );
  }
}

/** Throws unless two people signed for a document with this hash. */
export function demandPayment(
  { id, sha256 }: { readonly id: string; readonly sha256: string },
  signed: SignedRows | undefined,
): void {
  if (!signed || signed.has(paymentRow(id, sha256))) return;
  throw new Failure(
    EXIT.refused,
    "unsigned",
    `Two people have not signed for the document of batch ${id}. No file was written. Unless the batch is older than the first operators' keys, report this, because the database may have been edited.`,
  );
}

/** Whether two people signed for the IBAN and the name of a withdrawal. */
export const isPayeeSigned = ({ public_id, iban, name }: SqlRow, signed: SignedRows | undefined): boolean =>
  !signed || (signed.has(ibanRow(public_id, iban)) && signed.has(nameRow(public_id, name)));

interface Parties {
  readonly createdAt: string;
  readonly payer: Payer;
  /** The names of the payments, in the order of the document. */
  readonly names: readonly string[];
}

/**
 * Reads what a withdrawal does not state. A document in any other form differs from the one that is made
 * again.
 */
function readParties(document: string): Parties {
  const texts = (name: string) =>
    [...document.matchAll(new RegExp(`<${name}>([^<]*)</${name}>`, "g"))].map(([, text]) => unescape(text!));
  // The payer's name is in the header and in the block of the payments.
  const [name = "", , ...names] = texts("Nm");
  const [createdAt] = texts("CreDtTm").filter((text) => !Number.isNaN(Date.parse(text)));
  return {
    createdAt: createdAt ?? new Date(0).toISOString(),
    payer: { name, iban: texts("IBAN")[0] ?? "", bic: texts("BICFI")[0] ?? "" },
    names,
  };
}

const unescape = (text: string): string =>
  text.replaceAll("&quot;", '"').replaceAll("&gt;", ">").replaceAll("&lt;", "<").replaceAll("&amp;", "&");

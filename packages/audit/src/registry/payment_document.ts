// Builds the payment document (pain.001.001.09) of a batch again, for the audit and for
// `gold withdrawal submit`. The database builds it in payment_document.sql. The two implementations share no
// code.

interface Batch {
  readonly id: string;
  /** When the document was prepared, as the document states it. */
  readonly createdAt: string;
  /** A day in Riyadh, such as 2026-01-31. */
  readonly day: string;
  readonly payer: { readonly name: string; readonly iban: string; readonly bic: string };
  readonly payments: readonly Payment[];
}

export interface Payment {
  readonly id: string;
  readonly halalas: bigint;
  readonly name: string;
  readonly iban: string;
  readonly reference: string | null;
}

/** An element: its name, and its text or its children. A name can have attributes. */
type Element = readonly [name: string, content: string | readonly Element[]];

const NAMESPACE = "urn:iso:std:iso:20022:tech:xsd:pain.001.001.09";

export function makeDocument({ id, createdAt, day, payer, payments }: Batch): string {
  const ordered = [...payments].sort((left, right) => left.id < right.id ? -1 : 1);
  const count: Element = ["NbOfTxs", `${ordered.length}`];
  const sum: Element = ["CtrlSum", decimal(ordered.reduce((total, { halalas }) => total + halalas, 0n))];
  const name: Element = ["Nm", payer.name.normalize("NFC")];
  const header: Element = [
    "GrpHdr",
    [["MsgId", compact(id)], ["CreDtTm", createdAt], count, sum, ["InitgPty", [name]]],
  ];
  const block: Element = ["PmtInf", [
    ["PmtInfId", compact(id)],
    ["PmtMtd", "TRF"],
    count,
    sum,
    ["ReqdExctnDt", [["Dt", day]]],
    ["Dbtr", [name]],
    ["DbtrAcct", [["Id", [["IBAN", payer.iban]]]]],
    ["DbtrAgt", [["FinInstnId", [["BICFI", payer.bic]]]]],
    ...ordered.map(makePayment),
  ]];
  const root: Element = [`Document xmlns="${NAMESPACE}"`, [["CstmrCdtTrfInitn", [header, block]]]];
  return `<?xml version="1.0" encoding="UTF-8"?>\n${print(root, "")}`;
}

const makePayment = ({ id, halalas, name, iban, reference }: Payment): Element => ["CdtTrfTxInf", [
  ["PmtId", [["EndToEndId", compact(id)]]],
  ["Amt", [['InstdAmt Ccy="SAR"', decimal(halalas)]]],
  ["Cdtr", [["Nm", name.normalize("NFC")]]],
  ["CdtrAcct", [["Id", [["IBAN", iban]]]]],
  ...(reference === null ? [] : [["RmtInf", [["Ustrd", reference.normalize("NFC")]]] as const]),
]];

function print([name, content]: Element, indent: string): string {
  const end = `</${name.split(" ")[0]}>\n`;
  if (typeof content === "string") return `${indent}<${name}>${escape(content)}${end}`;
  return `${indent}<${name}>\n${content.map((child) => print(child, `${indent}  `)).join("")}${indent}${end}`;
}

const compact = (uuid: string) => uuid.replaceAll("-", "");
const decimal = (halalas: bigint) => `${halalas / 100n}.${`${halalas % 100n}`.padStart(2, "0")}`;
const escape = (text: string) =>
  text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;").replaceAll('"', "&quot;");

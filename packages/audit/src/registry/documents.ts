import type { Findings } from "../findings.ts";
import type { Connection, Row } from "../snapshot.ts";
import { selectFrom } from "../tables.ts";
import { sarText, sha256Hex } from "../values.ts";
import type { Notes } from "./notes.ts";

/**
 * The sandbox's login that submits simulated payments. Their documents contain only a note that none was
 * sent.
 */
const SIMULATED_BY = "gold_simulation_checker";

interface Payment {
  readonly id: string;
  readonly amount: string;
  readonly iban: string;
  readonly reference: string;
}

/** Compares each payment document (pain.001) with the withdrawals that were submitted with it. */
export async function checkDocuments(
  sql: Connection,
  findings: Findings,
  notes: Notes,
  batches: readonly Row[],
): Promise<void> {
  const noted = new Map(
    notes.all.filter(({ action }) => action === "withdrawal.batch").map((note) => [note.subject, note]),
  );
  for (const { id, login, document } of batches) {
    const row = `payment_batch ${id}`;
    const note = noted.get(id);
    findings.expect("document_is_noted", row, note?.detail.document_sha256, sha256Hex(document));
    const steps = await sql.unsafe(
      selectFrom("withdrawal_step", `where batch_id = '${id}' order by client_id, sequence`),
    );
    findings.expect("document_is_noted", `${row} withdrawals`, note?.detail.withdrawals, steps.length);
    if (login === SIMULATED_BY) continue;
    const payments = readPayments(document);
    const total = payments.reduce((sum, { amount }) => sum + halalas(amount), 0n);
    findings.expect("document_is_noted", `${row} NbOfTxs`, payments.length, tag(document, "NbOfTxs"));
    findings.expect("document_is_noted", `${row} CtrlSum`, total, halalas(tag(document, "CtrlSum") ?? ""));
    const named = new Map(payments.map((payment) => [payment.id, payment]));
    for (const { bucket, client_id, withdrawal_id } of steps) {
      const [withdrawal] = await sql.unsafe(
        selectFrom(
          "withdrawal",
          `where bucket = ${bucket} and client_id = ${client_id} and id = '${withdrawal_id}'`,
        ),
      );
      const payment = named.get(withdrawal_id.replaceAll("-", ""));
      named.delete(withdrawal_id.replaceAll("-", ""));
      const owed = withdrawal &&
        [sarText(withdrawal.amount), withdrawal.iban, withdrawal.reference ?? ""].join(" ");
      const paid = payment && [sarText(halalas(payment.amount)), payment.iban, payment.reference].join(" ");
      findings.expect("document_is_noted", `${row} ${withdrawal_id}`, owed, paid);
    }
    for (const surplus of named.keys()) {
      findings.add("document_is_noted", row, "only its withdrawals", surplus);
    }
  }
}

function readPayments(document: string): Payment[] {
  return Array.from(document.matchAll(/<CdtTrfTxInf>([\s\S]*?)<\/CdtTrfTxInf>/g), ([, text]) => ({
    id: tag(text!, "EndToEndId") ?? "",
    amount: /<InstdAmt Ccy="SAR">([^<]*)</.exec(text!)?.[1] ?? "",
    iban: tag(text!, "IBAN") ?? "",
    reference: unescapeXml(tag(text!, "Ustrd") ?? ""),
  }));
}

const tag = (text: string, name: string) => new RegExp(`<${name}>([^<]*)<`).exec(text)?.[1];
const unescapeXml = (text: string) =>
  text.replaceAll("&lt;", "<").replaceAll("&gt;", ">").replaceAll("&quot;", '"').replaceAll("&apos;", "'")
    .replaceAll("&amp;", "&");

/** Reads a decimal with at most two places. Any other text gives -1, which equals no amount. */
function halalas(text: string): bigint {
  const [, whole, fraction = ""] = /^(\d+)(?:\.(\d{1,2}))?$/.exec(text) ?? [];
  return whole === undefined ? -1n : BigInt(whole + fraction.padEnd(2, "0"));
}

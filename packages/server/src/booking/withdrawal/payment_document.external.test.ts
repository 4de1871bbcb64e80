import { spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import process from "node:process";
import { after, before, describe, it } from "node:test";
import { fileURLToPath } from "node:url";
import { assert, assertEquals } from "@std/assert";
import { type TestBooks, testBooks } from "../../../testing/books.ts";
import {
  buildDocument,
  GOLDEN_PAYMENTS,
  LARGE_PAYMENTS,
  paymentOf,
  type TestPayment,
} from "./payment_fixture.ts";

const PART = fileURLToPath(new URL("../../../../../.tools/iso_20022", import.meta.url));
const SCHEMA = join(PART, "pain001/templates/pain.001.001.09/pain.001.001.09.xsd");

/** Prints every fault that the validator finds in each document, with its place. */
const VALIDATE = `
import json, sys, xmlschema
schema = xmlschema.XMLSchema(sys.argv[1])
print(json.dumps([[f"{fault.path}: {fault.reason}" for fault in schema.iter_errors(file)] for file in sys.argv[2:]]))`;

/** Reads a document back with Python's own XML parser and decimals. */
const READ_BACK = `
import decimal, json, sys, xml.etree.ElementTree as tree
texts = lambda name: [one.text for one in tree.parse(sys.argv[1]).iterfind(".//{*}" + name)]
total = sum(map(decimal.Decimal, texts("InstdAmt")))
print(json.dumps({"names": texts("Nm"), "references": texts("Ustrd"), "total": str(total)}))`;

interface ReadBack {
  readonly names: string[];
  readonly references: string[];
  readonly total: string;
}

let folder: string;
let books: TestBooks;

/**
 * Returns what the program prints as JSON.
 * Any output on standard error is a failure of the external check itself.
 */
function runPython(program: string, ...args: string[]): unknown {
  const { stdout, stderr, error } = spawnSync("python3", ["-B", "-c", program, ...args], {
    encoding: "utf8",
    timeout: 60_000,
    env: { ...process.env, PYTHONPATH: PART },
  });
  if (error) throw new Error("python3 did not run; run: node tools/run.mjs tools", { cause: error });
  assertEquals(stderr, "");
  return JSON.parse(stdout);
}

async function keepDocument(document: string, index = 0): Promise<string> {
  const file = join(folder, `${index}.xml`);
  await writeFile(file, document);
  return file;
}

async function findFaults(documents: readonly string[]): Promise<string[][]> {
  const files = await Promise.all(documents.map(keepDocument));
  return runPython(VALIDATE, SCHEMA, ...files) as string[][];
}

async function readBack(document: string): Promise<ReadBack> {
  return runPython(READ_BACK, await keepDocument(document)) as ReadBack;
}

describe("payment_document, checked with the ISO 20022 schema", () => {
  before(async () => {
    folder = await mkdtemp(join(tmpdir(), "gold-pain-"));
    if (!existsSync(SCHEMA)) throw new Error("The schema is missing; run: node tools/run.mjs tools");
    books = await testBooks();
  });

  after(async () => {
    await books?.stop();
    await rm(folder, { recursive: true });
  });
  const build = (payments: readonly TestPayment[]) => buildDocument(books, payments);

  it("builds documents that the schema accepts, for every kind of batch", async () => {
    const documents = [
      await build([paymentOf(1)]),
      await build([paymentOf(1, { reference: null })]),
      await build([paymentOf(1, { halalas: 1n }), paymentOf(2, { halalas: 1_000_000_000_000n })]),
      await build([paymentOf(1, { name: "ذ".repeat(140) })]),
      await build([paymentOf(1, { name: "𐎀".repeat(140) })]),
      await build([paymentOf(1, { name: "&".repeat(140), reference: "<".repeat(140) })]),
      await build(GOLDEN_PAYMENTS),
      await build(LARGE_PAYMENTS),
    ];
    assertEquals(await findFaults(documents), documents.map(() => []));
  });

  it("builds names, references and a sum that Python's XML parser reads back", async () => {
    const { names, references, total } = await readBack(await build(GOLDEN_PAYMENTS));
    assertEquals(names, ["Gold House", "Gold House", ...GOLDEN_PAYMENTS.map(({ name }) => name)]);
    assertEquals(references, ["payout 1", "inv-7/2026"]);
    assertEquals(total, "1234667.06");
    const large = await build(LARGE_PAYMENTS);
    assertEquals(/<CtrlSum>(.*)<\/CtrlSum>/.exec(large)?.[1], (await readBack(large)).total);
  });

  it("writes a document that the schema rejects after each of these manual changes", async () => {
    const document = await build([paymentOf(1)]);
    const spoils: [part: string, spoilt: string, element: string, reason: string][] = [
      ['"SAR">100.00', '"SAR">100.000001', "InstdAmt", "fraction digits"],
      ['"SAR">100.00', '"SAR">-100.00', "InstdAmt", "greater or equal"],
      [' Ccy="SAR"', "", "InstdAmt", "missing required attribute"],
      ["<CtrlSum>100.00", "<CtrlSum>100,00", "CtrlSum", "invalid value"],
      [">SA0380000000608010167519<", ">SA03 8000 0000 6080 1016 7519<", "IBAN", "pattern"],
      ["EXAMSARIXXX", "examsarixxx", "BICFI", "pattern"],
      ["<Nm>Example Bank<", "<Nm><", "Nm", "length"],
      ["<Nm>Example Bank<", `<Nm>${"a".repeat(141)}<`, "Nm", "length"],
      ["<EndToEndId>", "<EndToEndId>0000", "EndToEndId", "length"],
      ["<MsgId>019a9b3c111170008000000000000001</MsgId>", "", "GrpHdr", "MsgId' expected"],
      ["<Dt>2026-02-01</Dt>", "2026-02-01", "ReqdExctnDt", "not allowed"],
      ["TRF", "CASH", "PmtMtd", "must be one of"],
      ["pain.001.001.09", "pain.001.001.03", "Document", "not an element of the schema"],
    ];
    const faults = await findFaults(spoils.map(([part, spoilt]) => {
      assert(document.includes(part), part);
      return document.replace(part, spoilt);
    }));
    for (const [index, [, spoilt, element, reason]] of spoils.entries()) {
      const [first = "", ...more] = faults[index] as string[];
      const [path = ""] = first.split(": ");
      assert(path.endsWith(element) && first.includes(reason), `${spoilt}: ${[first, ...more].join("; ")}`);
    }
  });
});

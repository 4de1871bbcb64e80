import { readFile } from "node:fs/promises";
import { describe, it } from "node:test";
import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { suiteBooks } from "../../../testing/books.ts";
import { bookWithdrawal, newUuid, withdrawalItem } from "../fixture.ts";
import { publicIdOf, suiteOperators, verdictOf } from "../operator_fixture.ts";
import { buildDocument, GOLDEN_PAYMENTS, LARGE_PAYMENTS, paymentOf } from "./payment_fixture.ts";

/** What `gold` refuses in every text; see values.ts of the operator's package. */
const UNPRINTABLE = /[\p{Cc}\p{Cf}\p{Co}\p{Cs}\p{Zl}\p{Zp}\p{Noncharacter_Code_Point}]/u;

describe("payment_document", () => {
  const books = suiteBooks();
  const [maker, checker] = suiteOperators(books);

  const build = (
    ...given: Parameters<typeof buildDocument> extends [unknown, ...infer Rest] ? Rest : never
  ) => buildDocument(books, ...given);
  const refusal = (...given: Parameters<typeof build>) => verdictOf(build(...given));
  async function approved(): Promise<string> {
    const item = withdrawalItem(await books.createClient({ halalas: 1_000n }), 10n);
    await bookWithdrawal(books.api, item);
    assertEquals(await maker.approveWithdrawal(item.id), "done");
    return item.id;
  }
  async function prepare(id: string) {
    const [row] = await checker.sql`
      select batch, prepared_at::text as at, document, sha256 from gold.prepare_payment(array[${id}::uuid])`;
    return row as unknown as { batch: string; at: string; document: string; sha256: string };
  }
  const submit = (id: string, { batch, at, sha256 }: { batch: string; at: string; sha256: string }) =>
    verdictOf(
      checker
        .sql`select gold.submit_payment(${batch}::uuid, array[${id}::uuid], ${at}::text::timestamptz, ${sha256})`,
    );
  const statusOf = async (id: string) =>
    (await books.sql`select status from gold.withdrawal_overview where id = ${id}`)[0]!.status;

  it("writes the golden file, byte for byte, in any order of its payments", async () => {
    const golden = await readFile(new URL("golden/three_payments.xml", import.meta.url), "utf8");
    assertEquals(await build(GOLDEN_PAYMENTS), golden);
    assertEquals(await build([...GOLDEN_PAYMENTS].reverse()), golden);
  });

  it("writes the exact count and sum of 500 payments", async () => {
    const document = await build(LARGE_PAYMENTS);
    assertEquals(document.match(/<NbOfTxs>500</g)?.length, 2);
    assertEquals(document.match(/<CtrlSum>4237037042576\.73</g)?.length, 2);
    assertEquals(document.match(/<CdtTrfTxInf>/g)?.length, 500);
    for (const [halalas, text] of [[1n, "0.01"], [10n, "0.10"], [10_001n, "100.01"]] as const) {
      assertStringIncludes(
        await build([paymentOf(1, { halalas })]),
        `<InstdAmt Ccy="SAR">${text}</InstdAmt>`,
      );
    }
  });

  it("refuses a text, an IBAN and a BIC that a bank would refuse, and names it", async () => {
    const of = `of wd_${paymentOf(1).id}`;
    for (const name of [" a", "a\u00a0", ""]) {
      assert(
        (await refusal([paymentOf(1, { name })])).startsWith("GR409 the name of the partner " + of),
        name,
      );
    }
    assert(
      (await refusal([paymentOf(1, { reference: "a".repeat(141) })])).includes(
        `reference ${of} has 141 char`,
      ),
    );
    assert((await refusal([paymentOf(1, { name: "a\u200bb" })])).includes("unprintable character U+200B"));
    for (const iban of ["SA0380000000608010167510", "sa0380000000608010167519", "DE0380000000608010167519"]) {
      assertEquals(await refusal([paymentOf(1, { iban })]), `GR409 the IBAN ${of} is not a valid Saudi IBAN`);
      assertEquals(
        await refusal([paymentOf(1)], { iban }),
        "GR409 the IBAN of the payout account is not a valid Saudi IBAN",
      );
    }
    for (const bic of ["", "EXAMSARI1", "examsari", "EXAM1ARI"]) {
      assert((await refusal([paymentOf(1)], { bic })).startsWith("GR409 the BIC "), bic);
    }
    assertStringIncludes(
      await build([paymentOf(1, { name: "Socie\u0301te\u0301" })]),
      "<Nm>Soci\u00e9t\u00e9</Nm>",
    );
  });

  it("refuses exactly the characters that gold refuses", async () => {
    const rows = await books.sql`
      select c from generate_series(1, 1114111) c
      where c not between 55296 and 57343 and gold.payment_text_fault('a' || chr(c) || 'a') like '%unprintable%'`;
    const expected: number[] = [];
    for (let code = 1; code <= 0x10FFFF; code++) {
      const isSurrogate = code >= 0xD800 && code <= 0xDFFF;
      if (!isSurrogate && UNPRINTABLE.test(String.fromCodePoint(code))) expected.push(code);
    }
    assertEquals(rows.map(({ c }) => c), expected);
  });

  it("is submitted only with the hash of the document that was shown, within an hour", async () => {
    const id = await approved();
    const shown = await prepare(id);
    const other = await prepare(await approved());
    assert(
      (await submit(id, { ...shown, sha256: other.sha256 })).startsWith("GR409 the document changed after"),
    );
    const none = null as unknown as string;
    assert((await submit(id, { ...shown, sha256: none })).startsWith("GR409 the document changed after"));
    assert((await submit(id, { ...shown, batch: newUuid() })).startsWith("GR409 the document changed after"));
    const old =
      (await books.sql`select (${shown.at}::text::timestamptz - interval '61 minutes')::text as at`)[0]!.at;
    assert((await submit(id, { ...shown, at: old })).startsWith("GR409 the document was prepared at "));
    assertEquals(await statusOf(id), "approved");
    assertEquals(await submit(id, shown), "done");
    const [stored] = await books.sql`select document from gold.payment_batch where id = ${shown.batch}`;
    assertEquals(stored!.document, shown.document);
  });

  it("is not submitted if a name changed after it was shown", async () => {
    const id = await approved();
    const shown = await prepare(id);
    const [row] = await books.sql`select client_id from gold.withdrawal where id = ${id}`;
    const publicId = await publicIdOf(books, row!.client_id);
    await books.sql`select gold.set_partner(${publicId}, 'Another Bank', null, null, null, null, null)`;
    assert((await submit(id, shown)).startsWith("GR409 the document changed after it was shown"));
    assertEquals(await statusOf(id), "approved");
  });

  it("cannot be handed in: one login cannot order a payment", async () => {
    const id = await approved();
    const { sha256 } = await prepare(id);
    const own = maker.sql`select gold.submit_payment(p.batch, array[${id}::uuid], p.prepared_at, p.sha256)
      from gold.prepare_payment(array[${id}::uuid]) p`;
    assert((await verdictOf(own)).includes("another login has to submit it"));
    assertEquals([await statusOf(id), sha256.length], ["approved", 64]);
  });
});

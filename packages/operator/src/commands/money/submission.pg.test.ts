import { readdir, stat } from "node:fs/promises";
import { dirname } from "node:path";
import { after, before, describe, it } from "node:test";
import { assert, assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import { runGold } from "../../gold_fixture.ts";
import { assertRefused as refused, itemsOf, type TestOperator, testOperator } from "../fixture.ts";
import { askWithdrawal, setPayoutAccount } from "./withdrawal_fixture.ts";

describe("gold withdrawal submit", () => {
  let operator: TestOperator;
  before(async () => {
    operator = await testOperator();
    await operator.service.send("/sandbox/fund", { body: '{"amount_sar":100000}' });
  });
  after(() => operator.stop());

  const approved = async (halalas: bigint, client?: number) => {
    const id = await askWithdrawal(operator, halalas, client);
    await operator.done("withdrawal", "approve", id);
    return id;
  };
  const submit = (out: string, ...more: string[]) =>
    operator.colleague.gold("withdrawal", "submit", "--out", operator.path(out), ...more, "--json", "--yes");
  const statusOf = async (id: string) =>
    itemsOf(await operator.done("withdrawal", "list")).find(({ withdrawal_id }) => withdrawal_id === id)!
      .status;
  const files = async () => await readdir(dirname(operator.path("x")));

  it("is refused without a payout account, and names the command that sets it", async () => {
    const id = await approved(100n);
    refused(await submit("early.xml"), 2, "gold db migrate --payout-name");
    assertEquals(await statusOf(id), "approved");
    await setPayoutAccount(operator);
    await operator.done("withdrawal", "reject", id);
  });

  it("exits with 1 if no withdrawal is approved", async () => {
    const run = await submit("none.xml");
    refused(run, 1, "There is nothing to submit. No withdrawal is approved.");
    assertEquals(run.problem.code, "nothing_to_submit");
  });

  it("omits a withdrawal that the bank would refuse, gives the reason, and submits the others", async () => {
    const { sql } = operator.service.books;
    const client = await operator.service.books.createClient({ halalas: 1_000n });
    const [partner] =
      await sql`update gold.partner set name = 'A Bank ' where id = ${client} returning public_id`;
    const [good, bad] = [await approved(100n), await approved(100n, client)];
    const first = await submit("without.xml");
    assertEquals([first.exit, itemsOf(first.json).map(({ withdrawal_id }) => withdrawal_id)], [0, [good]]);
    const [left] = first.json.left as Record<string, string>[];
    assertEquals(left!.withdrawal_id, bad);
    assertStringIncludes(left!.reason!, "its partner's name");
    await operator.done("partner", "set", partner!.public_id, "--name", "A Bank");
    const second = await submit("with.xml");
    assertEquals(itemsOf(second.json).map(({ withdrawal_id }) => withdrawal_id), [bad]);
    assertStringIncludes(await operator.read("with.xml"), "<Nm>A Bank</Nm>");
  });

  it("writes and stores one document for all approved withdrawals, and marks them as submitted", async () => {
    const ids = [await approved(12_345n), await approved(1n), await approved(999_999n)];
    const today = async () => {
      const [row] = await operator.service.books
        .sql`select (clock_timestamp() at time zone 'Asia/Riyadh')::date::text as day`;
      return row!.day as string;
    };
    const dayBefore = await today();
    const { exit, json } = await submit("pain.001.xml");
    // Accept both days, because midnight in Riyadh may fall between the two instants.
    const days = [dayBefore, await today()];
    assertEquals([exit, json.count, json.total_sar], [0, 3, "10123.45"]);
    assertEquals(json.left, []);
    assertEquals(itemsOf(json).map(({ withdrawal_id }) => withdrawal_id).sort(), [...ids].sort());
    const text = await operator.read("pain.001.xml");
    for (const { end_to_end_id } of itemsOf(json)) {
      assertStringIncludes(text, `<EndToEndId>${end_to_end_id}</EndToEndId>`);
    }
    assertStringIncludes(text, `<MsgId>${json.message_id}</MsgId>`);
    assertStringIncludes(text, "<CtrlSum>10123.45</CtrlSum>");
    assertStringIncludes(text, "SA9480000000000000000001");
    assert(days.some((day) => text.includes(`<Dt>${day}</Dt>`)), `${days}: ${text}`);
    for (const id of ids) assertEquals(await statusOf(id), "submitted");
    const [stored] = await operator.service.books.sql`
      select document, login from gold.payment_batch where id = ${json.batch as string}`;
    assertEquals([stored!.document, stored!.login], [text, operator.colleague.login]);
    assertEquals((await stat(operator.path("pain.001.xml"))).mode & 0o077, 0);
    assert((await files()).every((name) => !/xml\./.test(name)), "a draft was left");
    refused(await submit("again.xml"), 1, "nothing to submit");
  });

  it("writes the stored document again for --batch, byte for byte, and changes nothing", async () => {
    const id = await approved(777n);
    const first = (await submit("first.xml")).json;
    await operator.done("withdrawal", "paid", id);
    const audit = async () => itemsOf(await operator.done("audit", "list")).length;
    const rows = await audit();
    const again = await submit("second.xml", "--batch", first.batch as string);
    assertEquals([again.exit, again.json.message_id, again.json.items], [0, first.message_id, first.items]);
    assertEquals([again.json.count, again.json.total_sar], [1, "7.77"]);
    assertEquals(await operator.read("second.xml"), await operator.read("first.xml"));
    assertEquals([await statusOf(id), await audit()], ["paid", rows]);
    refused(await submit("second.xml", "--batch", first.batch as string), 2, "exists");
    refused(
      await submit("third.xml", "--batch", "019a9b3c-0000-7000-8000-000000000001"),
      1,
      "There is no batch",
    );
    refused(await submit("third.xml", "--batch", "x"), 1, "There is no batch");
  });

  it("exits with 4 and writes no file if the stored document was changed", async () => {
    const { sql } = operator.service.books;
    await approved(778n);
    const { batch } = (await submit("honest.xml")).json as { batch: string };
    const again = () => submit("forged.xml", "--batch", batch);
    const rewrite = async (from: string, to: string) => {
      await sql`alter table gold.payment_batch disable trigger user`;
      await sql`update gold.payment_batch set document = replace(document, ${from}, ${to}) where id = ${batch}`;
      await sql`alter table gold.payment_batch enable trigger user`;
    };
    await rewrite("SA0380000000608010167519", "SA5680000000100000000001");
    const forged = await again();
    refused(forged, 4, "Do not send it to the bank");
    assertEquals([forged.problem.code, (await files()).includes("forged.xml")], ["document_changed", false]);
    await rewrite("SA5680000000100000000001", "SA0380000000608010167519");
    assertEquals((await again()).exit, 0);
  });

  it("omits withdrawals that the same login approved, and gives the reason", async () => {
    const [own, other] = [await askWithdrawal(operator, 300n), await approved(400n)];
    await operator.colleague.done("withdrawal", "approve", own);
    const { json } = await submit("some.xml");
    assertEquals(itemsOf(json).map(({ withdrawal_id }) => withdrawal_id), [other]);
    const [left] = json.left as Record<string, unknown>[];
    assertEquals([left!.withdrawal_id, left!.held_until], [own, null]);
    assertStringIncludes(left!.reason as string, "another login has to submit it");
    const alone = await submit("nobody.xml");
    refused(alone, 1, `${own}: you approved it`);
    assertEquals(await statusOf(own), "approved");
    await operator.done("withdrawal", "submit", "--out", operator.path("theirs.xml"));
    assertEquals(await statusOf(own), "submitted");
  });

  it("omits withdrawals that are held after an IBAN change, and says until when", async () => {
    const partner = await operator.service.addPartner();
    await operator.service.send("/sandbox/fund", { body: '{"amount_sar":10}', partner });
    const id = await approved(500n, partner.client);
    await operator.done("partner", "set", partner.clientId, "--iban", "SA5680000000100000000001");
    const { payouts_held_until } = await operator.colleague.done("partner", "approve-iban", partner.clientId);
    const run = await submit("held.xml");
    refused(run, 1, `held until ${payouts_held_until}`);
    assertEquals(await statusOf(id), "approved");
    await operator.service.books.sql`
      update gold.partner set iban_changed_at = iban_changed_at - interval '24 hours' where id = ${partner.client}`;
    const { json } = await submit("held.xml");
    // The payment goes to the IBAN that was registered when the withdrawal was requested. That was before the
    // change.
    assertEquals(itemsOf(json)[0]!.iban, "SA0380000000608010167519");
  });

  it("submits nothing if the file exists or cannot be written", async () => {
    const id = await approved(600n);
    await operator.write("taken.xml", "mine");
    refused(await submit("taken.xml"), 2, "exists");
    assertEquals(await operator.read("taken.xml"), "mine");
    refused(await submit("nowhere/file.xml"), 2, "cannot be written");
    refused(await operator.colleague.gold("withdrawal", "submit", "--yes"), 2, "--out");
    assertEquals(await statusOf(id), "approved");
  });

  it("asks with the count and the sum, and changes nothing after a no", async () => {
    const argv = ["withdrawal submit --out", operator.path("asked.xml")];
    const run = await runGold(argv, { env: operator.colleague.env, yes: false });
    assertEquals(run.exit, 1);
    assertStringIncludes(run.err, "Nothing was done");
    // The person sees each payment with its IBAN before the question.
    assertStringIncludes(run.err, "SA0380000000608010167519");
    assertMatch(
      run.questions[0]!,
      /^Submit 1 withdrawal\(s\) of 6 SAR to the bank, with the document [0-9a-f]{64}\? .*`gold withdrawal returned WD`\.$/,
    );
    assertEquals((await files()).includes("asked.xml"), false);
  });

  it("submits each withdrawal in only one document if commands run at the same time", async () => {
    const ids = [await approved(700n), await approved(800n)];
    const runs = await Promise.all(["one", "two", "three"].map((name) => submit(`${name}.xml`)));
    const done = runs.filter(({ exit }) => exit === 0);
    const paid = done.flatMap(({ json }) => itemsOf(json).map(({ withdrawal_id }) => withdrawal_id));
    assertEquals(paid.length, new Set(paid).size);
    for (const id of ids) assertEquals(paid.includes(id), true);
    for (const run of runs) if (run.exit !== 0) assertEquals(run.exit, 1, run.err);
    assertEquals((await operator.done("ledger", "verify")).clean, true);
  });
});

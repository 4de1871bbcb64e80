import { suiteBooks } from "../../../testing/books.ts";
import { testService } from "../../../testing/service.ts";
import { describe, it } from "node:test";
import { assertEquals, assertMatch } from "@std/assert";
import {
  hireOperator,
  publicIdOf,
  suiteOperators,
  type TestOperator,
  verdictOf,
} from "../../booking/operator_fixture.ts";
import { bookWithdrawal, untilWaiting, withdrawalItem, wordOf } from "../../booking/fixture.ts";
import { valueOf } from "../../../testing/rows.ts";

const OLD = "SA0380000000608010167519";
const NEW = "SA4420000001234567891234";
const OTHER = "SA9130000001234567891234";

describe("changes of a partner's IBAN", () => {
  const books = suiteBooks();
  const [maker, checker] = suiteOperators(books);

  const partner = async () => publicIdOf(books, await books.createClient({ halalas: 1_000n }));
  const ask = ({ sql }: TestOperator, publicId: string, iban: string): Promise<string> =>
    verdictOf(sql`select gold.ask_iban(${publicId}, ${iban})`);
  const approve = ({ sql }: TestOperator, publicId: string, seen: string | null): Promise<string> =>
    verdictOf(sql`select gold.approve_iban(${publicId}, ${seen})`);
  async function stateOf(publicId: string): Promise<string> {
    return await valueOf(books.sql`
      select concat_ws(' ', iban, pending_iban, pending_iban_by) as state from gold.partner where public_id = ${publicId}`);
  }

  it("one login requests the IBAN, and another login approves it and starts the hold of 24 hours", async () => {
    const publicId = await partner();
    assertEquals(await ask(maker, publicId, NEW), "done");
    assertEquals(await stateOf(publicId), `${OLD} ${NEW} ${maker.login}`);
    const [row] = await checker.sql`select gold.approve_iban(${publicId}, ${NEW}) as until`;
    assertEquals(await stateOf(publicId), NEW);
    const [held] = await books.sql`
      select iban_changed_at + interval '24 hours' = ${
      row!.until
    } as until, abs(extract(epoch from iban_changed_at - clock_timestamp())) < 60 as in_time
      from gold.partner where public_id = ${publicId}`;
    assertEquals({ ...held }, { until: true, in_time: true });
    const notes = await books.sql`
      select login, action, detail - 'mode' as detail from gold.audit where subject = ${publicId} and action like 'partner.%iban' order by id`;
    assertEquals(notes.map((note) => ({ ...note })), [
      { login: maker.login, action: "partner.ask_iban", detail: { before: OLD, iban: NEW } },
      {
        login: checker.login,
        action: "partner.approve_iban",
        detail: { before: OLD, iban: NEW, asked_by: maker.login },
      },
    ]);
  });

  it("the login that requested the IBAN cannot approve it, whatever role the login sets", async () => {
    const publicId = await partner();
    await ask(maker, publicId, NEW);
    const refusal = "GR409 you requested this IBAN, so another login has to approve it";
    assertEquals(await approve(maker, publicId, NEW), refusal);
    await maker.sql`set role gold_operator`;
    assertEquals(await approve(maker, publicId, NEW), refusal);
    await maker.sql`reset role`;
    assertEquals(await stateOf(publicId), `${OLD} ${NEW} ${maker.login}`);
  });

  it("an approval is refused if the pending IBAN is not the IBAN that the approver saw", async () => {
    const publicId = await partner();
    await ask(maker, publicId, NEW);
    await ask(maker, publicId, OTHER);
    for (const seen of [NEW, OLD, "", null]) {
      assertEquals(
        await approve(checker, publicId, seen),
        `GR409 another IBAN was requested meanwhile: ${OTHER}`,
      );
    }
    assertEquals(await stateOf(publicId), `${OLD} ${OTHER} ${maker.login}`);
    // Check that the login that last requested the IBAN may not approve it.
    await ask(checker, publicId, OTHER);
    assertEquals((await approve(checker, publicId, OTHER)).slice(0, 5), "GR409");
    assertEquals(await approve(maker, publicId, OTHER), "done");
  });

  it("an approval succeeds once, and asking for the registered IBAN is refused", async () => {
    const publicId = await partner();
    assertEquals(await approve(checker, publicId, NEW), "GR409 no new IBAN was requested");
    assertEquals(await ask(maker, publicId, OLD), `GR409 ${OLD} is the registered IBAN already`);
    await ask(maker, publicId, NEW);
    const verdicts = await Promise.all([1, 2, 3].map(() => approve(checker, publicId, NEW)));
    assertEquals(verdicts.toSorted(), [
      "GR409 no new IBAN was requested",
      "GR409 no new IBAN was requested",
      "done",
    ]);
    assertEquals(await ask(maker, "sbx_none", NEW), "GR404 there is no partner sbx_none");
  });

  it("an approval waits for a concurrent request of another IBAN, and is then refused", async () => {
    const publicId = await partner();
    await ask(maker, publicId, NEW);
    await maker.sql`begin`;
    await maker.sql`select gold.ask_iban(${publicId}, ${OTHER})`;
    const approving = approve(checker, publicId, NEW);
    await untilWaiting(books.sql);
    await maker.sql`commit`;
    assertEquals(await approving, `GR409 another IBAN was requested meanwhile: ${OTHER}`);
    assertEquals(await stateOf(publicId), `${OLD} ${OTHER} ${maker.login}`);
  });

  it("a withdrawal made before the change keeps the old IBAN", async () => {
    const client = await books.createClient({ halalas: 1_000n });
    const publicId = await publicIdOf(books, client);
    const [earlier, later] = [withdrawalItem(client, 5n), withdrawalItem(client, 5n)];
    assertEquals(wordOf(await bookWithdrawal(books.api, earlier)), "answered 201");
    await ask(maker, publicId, NEW);
    await approve(checker, publicId, NEW);
    const [account] = await books.sql`select admission_version from gold.account where client_id = ${client}`;
    const outcome = await bookWithdrawal(books.api, {
      ...later,
      admissionVersion: account!.admission_version,
    });
    assertMatch(outcome.body!, /"iban_masked":"SA44\*{16}1234"/);
    const rows = await books
      .sql`select iban from gold.withdrawal where client_id = ${client} order by sequence`;
    assertEquals(rows.map(({ iban }) => iban), [OLD, NEW]);
  });

  it("the partner can still write, because the service reads the new admission version", async () => {
    const service = await testService();
    try {
      const { sql } = service.books;
      const quote = async () => {
        const reply = await service.send("/v1/quotes", { body: `{"side":"buy","gold_grams":1}` });
        return reply.status;
      };
      assertEquals(await quote(), 201);
      await sql`select gold.ask_iban(${service.partner.clientId}, ${NEW})`;
      assertEquals(await quote(), 201);
      const second = await hireOperator(service.books);
      assertEquals(await approve(second, service.partner.clientId, NEW), "done");
      assertEquals(await quote(), 201);
      await second.leave();
    } finally {
      await service.stop();
    }
  });

  it("the books and the audit verify without findings", async () => {
    assertEquals(await books.defects(), []);
    assertEquals((await books.sql`select from gold.verify_audit()`).length, 0);
  });
});

import { randomBytes } from "node:crypto";
import { assertEquals } from "@std/assert";
import { before, describe, it } from "node:test";
import postgres, { type Sql } from "postgres";
import { dropLogins } from "../../../../tools/testing/drop_logins.ts";
import { bookWithdrawal, withdrawalItem } from "../booking/fixture.ts";
import {
  operatorOn,
  publicIdOf,
  suiteOperators,
  type TestOperator,
  verdictOf,
} from "../booking/operator_fixture.ts";
import { suiteBooks } from "../../testing/books.ts";
import { setUp } from "../../testing/set_up.ts";

const IBAN = "SA4420000001234567891234";

describe("a login that `gold operator add` did not add", () => {
  const books = suiteBooks();
  const [maker, checker] = suiteOperators(books);
  /** A login that the migration login made a member of the checker's login, and nothing else. */
  const helper = setUp(async () => {
    const login = `helper_${randomBytes(4).toString("hex")}`;
    await books.sql.unsafe(`create role ${login} login password '${login}' in role ${checker.login}`);
    const sql = connectAs(login);
    return operatorOn(
      login,
      sql,
      () => sql.end({ timeout: 1 }).then(() => dropLogins(books.sql, login)),
    );
  }, (operator) => operator.leave());
  let refused: string;
  let publicId: string;
  before(async () => {
    refused =
      `GR403 the login ${helper.login} may not approve a change or take a step of a withdrawal, because it was not added with \`gold operator add\``;
    publicId = await publicIdOf(books, await books.createClient());
  });

  function connectAs(login: string): Sql {
    const url = new URL(books.url);
    [url.username, url.password] = [login, login];
    return postgres(url.href, { max: 1, onnotice: () => {} });
  }
  async function withdraw(client: number): Promise<string> {
    const item = withdrawalItem(client, 100n);
    await bookWithdrawal(books.api, item);
    return item.id;
  }

  it("approves no deposit and no IBAN, with the roles of an operator", async () => {
    const deposit = await maker.recordDeposit(publicId, 500n, "HELPED-1");
    assertEquals(await helper.approveDeposit(deposit), refused);
    assertEquals(await checker.approveDeposit(deposit), "done");
    await maker.sql`select gold.ask_iban(${publicId}, ${IBAN})`;
    assertEquals(await verdictOf(helper.sql`select gold.approve_iban(${publicId}, ${IBAN})`), refused);
    await maker
      .sql`select gold.ask_iban(${publicId}, iban) from gold.partner_overview where public_id = ${publicId}`;
  });

  it("takes no step of a withdrawal", async () => {
    const client = await books.createClient({ halalas: 10_000n });
    const [id, other] = [await withdraw(client), await withdraw(client)];
    assertEquals(await helper.approveWithdrawal(id), refused);
    assertEquals(await helper.rejectWithdrawal(id), refused);
    for (const each of [id, other]) assertEquals(await maker.approveWithdrawal(each), "done");
    assertEquals(await helper.submitWithdrawals([id]), refused);
    assertEquals(await checker.submitWithdrawals([id, other]), "done");
    assertEquals(await helper.payWithdrawal(id), refused);
    assertEquals(await checker.payWithdrawal(id), "done");
    assertEquals(await helper.returnWithdrawal(other), refused);
    assertEquals(await checker.returnWithdrawal(other), "done");
  });

  it("approves no proposal, and the migration login may still propose one", async () => {
    await books.sql`select gold.require_two_people()`;
    const [proposal] = await books.sql`
      select id, sha256 from gold.propose('deposit.record', ${
      books.sql.json({ client_id: publicId, amount: "700", bank_reference: "HELPED-2" })
    }::jsonb)`;
    const approve = ({ sql }: TestOperator) =>
      verdictOf(sql`select gold.approve_proposal(${proposal!.id}::uuid, ${proposal!.sha256})`);
    assertEquals(await approve(helper), refused);
    assertEquals(await approve(checker), "done");
    await books.sql`update gold.deployment set two_people = false`;
  });

  it("may not be added after it was removed, and a login that was made by hand may be added once", async () => {
    const login = `by_hand_${randomBytes(4).toString("hex")}`;
    const byHand = operatorOn(login, connectAs(login), () => Promise.resolve());
    const make = () =>
      books.sql.unsafe(`create role ${login} login password '${login}' in role gold_treasury`);
    const add = () => verdictOf(books.sql`select gold.add_operator(${login}, 'ignored', '{treasury}')`);
    await make();
    const deposit = await maker.recordDeposit(publicId, 900n, "HELPED-3");
    assertEquals((await byHand.approveDeposit(deposit)).slice(0, 5), "GR403");
    assertEquals(await add(), "done");
    assertEquals(await add(), `GR409 there is already a database login ${login}`);
    assertEquals(await byHand.approveDeposit(deposit), "done");
    await byHand.sql.end({ timeout: 1 });
    await books.sql`select gold.remove_operator(${login})`;
    await make();
    assertEquals(await add(), `GR409 there is already a database login ${login}`);
    const again = operatorOn(login, connectAs(login), byHand.leave);
    const next = await maker.recordDeposit(publicId, 900n, "HELPED-4");
    assertEquals((await again.approveDeposit(next)).slice(0, 5), "GR403");
    await again.sql.end({ timeout: 1 });
    await dropLogins(books.sql, login);
  });
});

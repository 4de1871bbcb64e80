import { TEST_PUBLIC_JWK } from "../../../testing/partner.ts";
import { suiteBooks } from "../../../testing/books.ts";
import { randomUUID } from "node:crypto";
import { assert, assertEquals } from "@std/assert";
import { before, describe, it } from "node:test";
import type { Sql } from "postgres";
import { bookOrder, orderItem, plantQuote, readBooks, untilWaiting, wordOf } from "../../booking/fixture.ts";
import { dropLogins } from "../../../../../tools/testing/drop_logins.ts";

const TERMS = { side: "buy", grams: 100n, price: 3_210_000n, ageSeconds: 0 } as const;
const hexOf = (byte: string) => byte.repeat(32);

describe("changes of the registry", () => {
  const books = suiteBooks();
  before(() => books.addBar(10_000_000n));

  const publicIdOf = async (client: number): Promise<string> =>
    (await books.sql`select public_id from gold.partner where id = ${client}`)[0]!.public_id;
  const version = async (): Promise<number> =>
    Number((await books.sql`select version from gold.registry_version`)[0]!.version);
  const admissionOf = async (client: number): Promise<string> =>
    (await books.sql`select admission_version from gold.account where client_id = ${client}`)[0]!
      .admission_version;
  const refusalOf = (change: PromiseLike<unknown>): Promise<string> =>
    Promise.resolve(change).then(() => "done", ({ code, message }) => `${code} ${message}`);
  const buy = async (client: number) => orderItem(client, await plantQuote(books.sql, { ...TERMS, client }));

  async function trader(): Promise<{ client: number; publicId: string; fingerprint: string }> {
    const client = await books.createClient({ halalas: 1_000_000n });
    const [publicId, fingerprint] = [await publicIdOf(client), randomUUID().replaceAll("-", "").repeat(2)];
    await books
      .sql`select gold.add_certificate(${publicId}, ${fingerprint}, '01', now() - interval '1 day', now() + interval '1 day')`;
    return { client, publicId, fingerprint };
  }
  type Trader = Awaited<ReturnType<typeof trader>>;
  /** The operations that end an admission. */
  const ENDS: Record<string, (sql: Sql, trader: Trader) => PromiseLike<unknown>> = {
    suspend_partner: (sql, { publicId }) => sql`select gold.suspend_partner(${publicId})`,
    revoke_certificate: (sql, { fingerprint }) => sql`select gold.revoke_certificate(${fingerprint})`,
  };

  for (const [name, end] of Object.entries(ENDS)) {
    it(`${name} ends earlier admissions: their orders are refused and change nothing`, async () => {
      const subject = await trader();
      const item = await buy(subject.client);
      await end(books.sql, subject);
      assertEquals(await admissionOf(subject.client), "2");
      const before = await readBooks(books.sql);
      assertEquals(wordOf(await bookOrder(books.api, item)), "admission_changed");
      assertEquals(await readBooks(books.sql), before);
      assertEquals(wordOf(await bookOrder(books.api, { ...item, admissionVersion: "2" })), "answered 201");
    });

    it(`${name} waits for an in-flight order, which commits; a later order is refused`, async () => {
      const subject = await trader();
      const [first, second] = [await buy(subject.client), await buy(subject.client)];
      const trading = await books.api.reserve();
      await trading`begin`;
      assertEquals(wordOf(await bookOrder(trading, first)), "answered 201");
      let ended = false;
      const ending = end(books.sql, subject).then(() => ended = true);
      await untilWaiting(books.sql);
      assertEquals(ended, false);
      await trading`commit`;
      trading.release();
      await ending;
      assertEquals(wordOf(await bookOrder(books.api, second)), "admission_changed");
    });

    it(`an order waits while ${name} locks the account, and must then be admitted again`, async () => {
      const subject = await trader();
      const item = await buy(subject.client);
      const operator = await books.sql.reserve();
      await operator`begin`;
      await end(operator, subject);
      const impatient = books.connect("gold_api", 1);
      await impatient`set lock_timeout = '1s'`;
      assertEquals(wordOf(await bookOrder(impatient, item, { wait: false })), "busy");
      const waiting = bookOrder(books.api, item);
      await untilWaiting(books.sql);
      await operator`commit`;
      operator.release();
      assertEquals(wordOf(await waiting), "admission_changed");
    });

    it(`${name} succeeds only once when two sessions call it concurrently`, async () => {
      const subject = await trader();
      const outcomes = (await Promise.all([end(books.sql, subject), end(books.sql, subject)].map(refusalOf)))
        .sort();
      assertEquals([outcomes[0]!.split(" ")[0], outcomes[1]], ["GR409", "done"]);
      assertEquals(await admissionOf(subject.client), "2");
      assertEquals((await refusalOf(end(books.sql, subject))).split(" ")[0], "GR409");
      const rows = await books
        .sql`select from gold.audit where subject = ${subject.publicId} and action in ('partner.suspend', 'certificate.revoke')`;
      assertEquals(rows.length, 1);
    });
  }

  it("no order commits after a committed revocation, with 60 concurrent orders", async () => {
    const subject = await trader();
    const items = await Promise.all(Array.from({ length: 60 }, () => buy(subject.client)));
    const pool = books.connect("gold_api", 8);
    let revoked = false;
    const late: string[] = [];
    const trading = Promise.all(items.map(async (item) => {
      const startedAfter = revoked;
      const word = wordOf(await bookOrder(pool, item));
      if (startedAfter) late.push(word);
      return word;
    }));
    await books.sql`select pg_sleep(0.01)`;
    await ENDS["revoke_certificate"]!(books.sql, subject);
    revoked = true;
    const counted = async () =>
      (await books.sql`select count(*)::int as n from gold.orders where client_id = ${subject.client}`)[0]!.n;
    const executed = await counted();
    const words = await trading;
    assertEquals(await counted(), executed);
    assertEquals(words.filter((word) => word === "answered 201").length, executed);
    assertEquals(late.filter((word) => word !== "admission_changed"), []);
  });

  it("resume_partner ends a suspension once, and does not restore earlier admissions", async () => {
    const { client, publicId } = await trader();
    assertEquals(
      await refusalOf(books.sql`select gold.resume_partner(${publicId})`),
      `GR409 partner ${publicId} is not suspended`,
    );
    await books.sql`select gold.suspend_partner(${publicId})`;
    assertEquals(
      await refusalOf(books.sql`select gold.suspend_partner(${publicId})`),
      `GR409 partner ${publicId} is suspended already`,
    );
    const twice = [1, 2].map(() => refusalOf(books.sql`select gold.resume_partner(${publicId})`));
    assertEquals((await Promise.all(twice)).sort(), [`GR409 partner ${publicId} is not suspended`, "done"]);
    const [partner] = await books.sql`select suspended_at from gold.partner where id = ${client}`;
    assertEquals(partner!.suspended_at, null);
    assertEquals(await admissionOf(client), "2");
  });

  it("are refused for an unknown partner or certificate, and the refusal names it", async () => {
    assertEquals(
      await refusalOf(books.sql`select gold.suspend_partner('sbx_none')`),
      "GR404 there is no partner sbx_none",
    );
    assertEquals(
      await refusalOf(books.sql`select gold.resume_partner('sbx_none')`),
      "GR404 there is no partner sbx_none",
    );
    const unknown = books.sql`select gold.revoke_certificate(${hexOf("ff")})`;
    assertEquals(await refusalOf(unknown), `GR404 there is no certificate ${hexOf("ff")}`);
  });

  const createPartner = (publicId: string) =>
    books
      .sql`select gold.create_partner(${publicId}, 'Twin', '', null, 1, 1, 1, '{}', sha256(''), '\\x00', '', '[]')`;
  const newPublicId = () => `sbx_${randomUUID().replaceAll("-", "").slice(0, 20)}`;

  it("raise the registry's version, and only a caller with another version gets a document", async () => {
    let before = await version();
    const raised = async () => {
      const now = await version();
      const by = now - before;
      before = now;
      return by;
    };
    await createPartner(newPublicId());
    assertEquals(await raised(), 1);
    const subject = await trader();
    assertEquals(await raised(), 1);
    for (const end of Object.values(ENDS)) {
      await end(books.sql, subject);
      assertEquals(await raised(), 1);
    }
    await books.sql`select gold.resume_partner(${subject.publicId})`;
    assertEquals(await raised(), 1);
    await books
      .sql`select gold.add_token_key(${randomUUID()}, ${TEST_PUBLIC_JWK}::text::jsonb, '\\x00', 'none', now())`;
    assertEquals(await raised(), 1);
    await bookOrder(books.api, await buy(subject.client));
    assertEquals(await raised(), 0);
    for (const [known, sent] of [[before, false], [before - 1, true], [null, true]]) {
      const [row] = await books.api`
        select version, abs(extract(epoch from at - clock_timestamp())) < 60 as in_time, document is not null as sent from gold.read_registry(${known as
        | number
        | null}::bigint)`;
      assertEquals({ ...row }, { version: `${before}`, in_time: true, sent });
    }
  });

  it("are audited with the login, not with the role that the login set", async () => {
    const login = `test_operator_${randomUUID().slice(0, 8)}`;
    await books.sql.unsafe(`create role ${login} login; grant gold_operator to ${login}`);
    try {
      const operator = await books.sql.reserve();
      await operator.unsafe(`set session authorization ${login}`);
      const created = newPublicId();
      await createPartner(created);
      const { publicId, fingerprint } = await trader();
      await operator`set role gold_operator`;
      await operator`select gold.revoke_certificate(${fingerprint})`;
      await operator`select gold.suspend_partner(${publicId})`;
      await operator`reset role`;
      await operator`select gold.resume_partner(${publicId})`;
      await operator`reset session authorization`;
      operator.release();
      const rows = await books
        .sql`select login, action, detail, abs(extract(epoch from at - clock_timestamp())) < 60 as in_time
        from gold.audit where subject = ${publicId} and login = ${login} order by id`;
      const mode = "single_operator";
      assertEquals(rows.map((row) => ({ ...row })), [
        { login, action: "certificate.revoke", detail: { fingerprint, mode }, in_time: true },
        { login, action: "partner.suspend", detail: { mode }, in_time: true },
        { login, action: "partner.resume", detail: { mode }, in_time: true },
      ]);
      const own = await books
        .sql`select action from gold.audit where subject in (${publicId}, ${created}) and login = session_user order by id`;
      assertEquals(own.map(({ action }) => action), ["partner.create", "certificate.issue"]);
    } finally {
      await dropLogins(books.sql, login);
    }
  });

  it("do not create a partner whose client_id exists already or is malformed", async () => {
    const publicId = await publicIdOf(await books.createClient());
    const before = await version();
    assert((await refusalOf(createPartner(publicId))).startsWith("23505 "));
    for (const wrong of ["sbx_short", "prod_00000000000000000000", "sbx_0000000000000000000A"]) {
      assert((await refusalOf(createPartner(wrong))).startsWith("23514 "), wrong);
    }
    assertEquals(await version(), before);
  });
});

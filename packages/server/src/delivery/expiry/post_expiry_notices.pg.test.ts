import { createHash } from "node:crypto";
import { itLeavesNoDefects, suiteBooks } from "../../../testing/books.ts";
import { eventReply } from "@gold-partner/protocol";
import { describe, it } from "node:test";
import { assertEquals, assertMatch } from "@std/assert";
import { verdictOf } from "../../booking/operator_fixture.ts";
import { bookFunding, fundingItem, lockAccount, untilWaiting } from "../../booking/fixture.ts";
import { addCertificate, addSigningKey, FORMS, moveEnd, notifiedTo, postNotices } from "./expiry_fixture.ts";

const DAY_HOURS = 24;
const DAY_MS = 86_400_000;
const KINDS = Object.keys(FORMS);

describe("post_expiry_notices", () => {
  const books = suiteBooks();

  /** A partner with one credential of each kind, none of which ends soon. */
  async function newHolder(): Promise<number> {
    const client = await books.createClient();
    await addCertificate(books, client);
    await addSigningKey(books, client, "first");
    return client;
  }
  const eventsOf = async (client: number) => {
    const rows = await books.api`select body from gold.list_events(${client}, 0, 100)`;
    return rows.map(({ body }) => eventReply.parse(JSON.parse(body)));
  };

  it("posts each credential's id as in GET /v1/credentials, with its kind and end", async () => {
    const client = await newHolder();
    const added = await eventsOf(client);
    const ends = new Map<string, Date>();
    for (const [n, kind] of KINDS.entries()) {
      ends.set(kind, await moveEnd(books, client, kind, 20 * DAY_HOURS + n));
    }
    assertEquals(await postNotices(books), 1);
    const [row] = await books.api`select gold.read_credentials(${client}) as body`;
    const known = JSON.parse(row!.body);
    const names: Record<string, string> = {
      certificate: known.certificates[0].sha256,
      signing_key: known.signing_keys[0].thumbprint,
      client_secret: known.client_secrets[0].secret_id,
      webhook_secret: known.webhook_secrets[0].secret_id,
    };
    const notices: unknown[] = (await eventsOf(client)).slice(added.length).map((event) =>
      event.type === "credential.expiring" ? [event.sequence, event.data.credential] : event
    );
    assertEquals(
      notices,
      KINDS.map((
        kind,
        n,
      ) => [added.length + n + 1, { kind, id: names[kind], expires_at: ends.get(kind)!.toISOString() }]),
    );
    assertEquals(await books.defects(), []);
  });

  it("posts a notice from exactly 30, 7 or 1 days before the end until the next notice is due", async () => {
    const client = await newHolder();
    for (const kind of KINDS) {
      const end = await moveEnd(books, client, kind, 100 * DAY_HOURS);
      const distanceAt = async (beforeMs: number) => {
        const rows = await books.sql`
          select days_ahead from gold.due_notices(${new Date(
          end.getTime() - beforeMs,
        )}) where client_id = ${client} and kind = ${kind}`;
        return rows.map(({ days_ahead }) => days_ahead).join();
      };
      const distances: Record<string, string> = {};
      for (const days of [30, 7, 1]) {
        distances[`${days} and a millisecond`] = await distanceAt(days * DAY_MS + 1);
        distances[days] = await distanceAt(days * DAY_MS);
      }
      distances["a millisecond"] = await distanceAt(1);
      distances["none"] = await distanceAt(0);
      assertEquals(distances, {
        "30 and a millisecond": "",
        30: "30",
        "7 and a millisecond": "30",
        7: "7",
        "1 and a millisecond": "7",
        1: "1",
        "a millisecond": "1",
        none: "",
      }, kind);
      assertEquals(await postNotices(books), 0);
    }
  });

  it("posts each notice once, and posts it again for the new end after the end was moved", async () => {
    const client = await newHolder();
    await moveEnd(books, client, "client_secret", 5 * DAY_HOURS);
    assertEquals([await postNotices(books), await postNotices(books)], [1, 0]);
    assertEquals(await notifiedTo(books, client), ["client_secret 7"]);
    const end = await moveEnd(books, client, "client_secret", 4 * DAY_HOURS);
    assertEquals([await postNotices(books), await postNotices(books)], [1, 0]);
    assertEquals(await notifiedTo(books, client), ["client_secret 7", "client_secret 7"]);
    const later = (beforeMs: number) =>
      books.sql`select days_ahead from gold.due_notices(${new Date(
        end.getTime() - beforeMs,
      )}) where client_id = ${client}`;
    assertEquals((await later(2 * DAY_MS)).length, 0);
    assertEquals((await later(DAY_MS)).map(({ days_ahead }) => days_ahead), [1]);
  });

  it("posts nothing for a credential that is revoked, expired or valid for more than 30 days", async () => {
    const client = await newHolder();
    await moveEnd(books, client, "certificate", 1);
    await books.sql`update gold.certificate set revoked_at = now() where partner_id = ${client}`;
    await moveEnd(books, client, "signing_key", -1);
    await moveEnd(books, client, "client_secret", 31 * DAY_HOURS);
    const before = await eventsOf(client);
    assertEquals(await postNotices(books), 0);
    assertEquals(await eventsOf(client), before);
  });

  it("seals a notice with a hash of the credential's kind, id and expiry in its chain line", async () => {
    const client = await books.createClient();
    const end = await moveEnd(books, client, "webhook_secret", DAY_HOURS - 1);
    await postNotices(books);
    const [row] = await books.sql`
      select e.created_at, e.subject, s.id as secret, gold.line_salt(p.chain_key, 1) as salt
      from gold.event e, gold.webhook_secret s, gold.partner p where client_id = ${client} and partner_id = ${client} and p.id = ${client}`;
    const digest = createHash("sha256").update(`["webhook_secret", "${row!.secret}", ${end.getTime()}]`)
      .digest(
        "hex",
      );
    const line = `2|${client}|1|11|${row!.subject}|${row!.created_at.getTime()}|${digest}||${row!.salt}`;
    const [link] = await books.sql`select encode(gold.seal_chain(${client}), 'hex') as head`;
    assertEquals(link!.head, createHash("sha256").update(Buffer.alloc(32)).update(line).digest("hex"));
  });

  it("numbers notices after the last event, and dates no notice before the newest posting", async () => {
    const client = await books.createClient({ halalas: 5n });
    await books
      .sql`update gold.account set last_posted_at = last_posted_at + interval '1 hour' where client_id = ${client}`;
    await moveEnd(books, client, "client_secret", 2);
    await moveEnd(books, client, "webhook_secret", 3);
    await postNotices(books);
    await bookFunding(books.api, fundingItem(client, 1n));
    const events = await eventsOf(client);
    assertEquals(events.map(({ sequence, type }) => [sequence, type]), [
      [1, "funding.completed"],
      [2, "credential.expiring"],
      [3, "credential.expiring"],
      [4, "funding.completed"],
    ]);
    const [ahead] = await books
      .sql`select created_at > now() + interval '50 minutes' as late from gold.event where client_id = ${client} and sequence = 2`;
    assertEquals(ahead!.late, true);
    assertEquals(await books.defects(), []);
  });

  it("posts each notice once when two calls run at the same time", async () => {
    const client = await newHolder();
    for (const kind of KINDS) await moveEnd(books, client, kind, 3);
    const holder = await lockAccount(books.sql, client);
    const looks = [postNotices(books), postNotices(books)];
    await untilWaiting(books.sql, 2);
    await holder.release();
    assertEquals(await Promise.all(looks), [1, 1]);
    assertEquals((await notifiedTo(books, client)).sort(), KINDS.map((kind) => `${kind} 1`).sort());
    assertEquals(await postNotices(books), 0);
    assertEquals(await books.defects(), []);
  });

  it("limits the partners per call, and posts all notices of each partner together", async () => {
    const clients = await Promise.all(Array.from({ length: 3 }, newHolder));
    for (const client of clients) {
      for (const kind of KINDS) await moveEnd(books, client, kind, 3);
    }
    assertEquals([await postNotices(books, 2), await postNotices(books, 2), await postNotices(books, 2)], [
      2,
      1,
      0,
    ]);
    for (const client of clients) assertEquals((await notifiedTo(books, client)).length, KINDS.length);
  });

  it("requires the isolation level READ COMMITTED", async () => {
    const verdict = await verdictOf(
      books.delivery.begin(
        "isolation level repeatable read",
        (sql) => sql`select gold.post_expiry_notices(1)`,
      ),
    );
    assertMatch(verdict, /READ COMMITTED/);
  });

  itLeavesNoDefects(books);
});

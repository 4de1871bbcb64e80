import { suiteBooks } from "../../../testing/books.ts";
import { describe, it } from "node:test";
import { assertEquals, assertMatch } from "@std/assert";
import { publicIdOf, suiteOperator, verdictOf } from "../operator_fixture.ts";
import { newUuid } from "../fixture.ts";
import {
  plantEndpoint,
  plantRetry,
  readEndpoint,
  readRetries,
  testWebhook,
  webhookTestItem,
} from "./redelivery_fixture.ts";

interface ListedEvent {
  readonly client: number;
  readonly publicId: string;
  /** The uuids of the partner's events, in order; `ats` are their instants. */
  readonly ids: readonly string[];
  readonly ats: readonly string[];
}

describe("an operator's change of deliveries", () => {
  const books = suiteBooks();
  const operator = suiteOperator(books);

  /** Creates a partner with this many events, at least one second apart and never sent. */
  async function partnerWith(events: number): Promise<ListedEvent> {
    const client = await books.createClient();
    for (let n = 0; n < events; n++) {
      await testWebhook(books.api, webhookTestItem(client));
      await books
        .sql`update gold.account set last_posted_at = last_posted_at + interval '1 second' where client_id = ${client}`;
    }
    await books.sql`delete from gold.retry where client_id = ${client}`;
    const rows = await books.sql`
      select id, created_at::text as at from gold.event where client_id = ${client} order by sequence`;
    return {
      client,
      publicId: await publicIdOf(books, client),
      ids: rows.map(({ id }) => id),
      ats: rows.map(({ at }) => at),
    };
  }
  const notesOf = async (publicId: string) => {
    const rows = await books.sql`
      select login, action, detail - 'mode' as detail from gold.audit where subject = ${publicId} and action like 'event.%' order by id`;
    return rows.map(({ login, action, detail }) => [login, action, detail]);
  };
  const setWebhook = (publicId: string, url: string | null) =>
    verdictOf(operator.sql`select gold.set_partner(${publicId}, null, null, ${url}, null, null, null)`);
  const redeliver = (id: string) => operator.sql`select * from gold.redeliver_event(${id}::uuid)`;
  const replay = (publicId: string, since: string) =>
    operator.sql`select gold.replay_events(${publicId}, ${since}::text::timestamptz)::int as events`;

  describe("set_partner with a URL", () => {
    it("resets the endpoint, and makes its retries due now", async () => {
      const { client, publicId } = await partnerWith(4);
      const state = { passed: 2, failures: 7, disabled: true };
      await plantEndpoint(books.sql, client, state);
      await plantRetry(books.sql, client, 1, { state: "later" });
      await plantRetry(books.sql, client, 2, { state: "parked" });
      await plantRetry(books.sql, client, 3, { state: "delivered" });
      assertEquals(await setWebhook(publicId, null), "done");
      assertEquals(await readEndpoint(books.sql, client), "2 held 7 rests disabled");
      assertEquals(await readRetries(books.sql, client), ["1 1 later", "2 1 parked", "3 1 delivered"]);
      // Set the same URL again, which has the same effect as setting a new one.
      assertEquals(await setWebhook(publicId, "https://localhost/"), "done");
      assertEquals(await readEndpoint(books.sql, client), "2 free 0");
      assertEquals(await readRetries(books.sql, client), ["1 1 due", "2 1 parked", "3 1 delivered"]);
    });
  });

  describe("redeliver_event", () => {
    it("makes an event of any partner due now, and writes the login to the audit", async () => {
      const [one, other] = [await partnerWith(2), await partnerWith(2)];
      await plantEndpoint(books.sql, other.client, { passed: 2 });
      await plantRetry(books.sql, other.client, 2, { tries: 13, state: "parked" });
      const [redelivered] = await redeliver(other.ids[1]!);
      assertEquals({ ...redelivered }, { public: other.publicId, sequence: "2", disabled_at: null });
      assertEquals(await readRetries(books.sql, other.client), ["2 0 due"]);
      assertEquals(await readRetries(books.sql, one.client), []);
      assertEquals(await notesOf(other.publicId), [
        [operator.login, "event.redeliver", { event: `evt_${other.ids[1]}`, sequence: 2 }],
      ]);
    });

    it("returns the time at which the endpoint was disabled", async () => {
      const { client, ids } = await partnerWith(1);
      await plantEndpoint(books.sql, client, { passed: 1, disabled: true });
      const [redelivered] = await redeliver(ids[0]!);
      assertEquals(redelivered!.disabled_at instanceof Date, true);
    });

    it("names an unknown event in the error", async () => {
      const id = newUuid();
      assertEquals(await verdictOf(redeliver(id)), `GR404 there is no event evt_${id}`);
    });
  });

  describe("replay_events", () => {
    it("moves the mark back before the first event since the instant, and returns the count", async () => {
      const { client, publicId, ats } = await partnerWith(5);
      await plantEndpoint(books.sql, client, { passed: 4 });
      assertEquals((await replay(publicId, ats[2]!))[0]!.events, 3);
      assertEquals(await readEndpoint(books.sql, client), "2 free 0");
      assertEquals(await notesOf(publicId), [
        [operator.login, "event.replay", {
          since: new Date(ats[2]!).toISOString(),
          after_sequence: 2,
          events: 3,
        }],
      ]);
      await plantEndpoint(books.sql, client, { passed: 4 });
      assertEquals((await replay(publicId, "1970-01-01T00:00:00.000Z"))[0]!.events, 5);
      assertEquals(await readEndpoint(books.sql, client), "0 free 0");
    });

    it("deletes the rows of parked and delivered events, and makes retries due now", async () => {
      const { client, publicId, ats } = await partnerWith(6);
      await plantEndpoint(books.sql, client, { passed: 4 });
      await plantRetry(books.sql, client, 1, { state: "parked" });
      await plantRetry(books.sql, client, 2, { state: "later" });
      await plantRetry(books.sql, client, 3, { state: "parked" });
      await plantRetry(books.sql, client, 4, { tries: 9, state: "later" });
      await plantRetry(books.sql, client, 6, { state: "delivered" });
      await replay(publicId, ats[2]!);
      assertEquals(await readRetries(books.sql, client), ["1 1 parked", "2 1 later", "4 0 due"]);
    });

    it("never moves the mark forward, and creates no endpoint", async () => {
      const { client, publicId, ats } = await partnerWith(3);
      await replay(publicId, ats[0]!);
      assertEquals(await readEndpoint(books.sql, client), "none");
      await plantEndpoint(books.sql, client, { passed: 1 });
      assertEquals((await replay(publicId, ats[2]!))[0]!.events, 1);
      assertEquals(await readEndpoint(books.sql, client), "1 free 0");
    });

    it("is refused if the partner has no event since the instant, and changes nothing", async () => {
      const { client, publicId } = await partnerWith(1);
      await plantEndpoint(books.sql, client, { passed: 1 });
      assertEquals(
        await verdictOf(replay(publicId, "9999-01-01T00:00:00.000Z")),
        `GR409 partner ${publicId} has no events since 9999-01-01T00:00:00.000Z`,
      );
      assertEquals(await readEndpoint(books.sql, client), "1 held 0");
      assertMatch(await verdictOf(replay("sbx_none", "2026-01-01T00:00:00.000Z")), /^GR404 /);
    });
  });

  describe("list_deliveries", () => {
    const list = async (publicId: string, status: string | null, most = 100) => {
      const rows = await operator.sql`select * from gold.list_deliveries(${publicId}, ${status}, ${most})`;
      return rows.map(({ sequence, status, next_attempt_at: next }) =>
        `${sequence} ${status}${next ? " next" : ""}`
      );
    };

    it("lists each event once with its status, newest first, and filters by status", async () => {
      const { client, publicId } = await partnerWith(7);
      await plantEndpoint(books.sql, client, { passed: 4 });
      await plantRetry(books.sql, client, 1, { state: "due" });
      await plantRetry(books.sql, client, 3, { state: "parked" });
      await plantRetry(books.sql, client, 4, { state: "delivered" });
      await plantRetry(books.sql, client, 5, { state: "parked" });
      await plantRetry(books.sql, client, 6, { state: "delivered" });
      const all = [
        "7 pending",
        "6 delivered",
        "5 parked",
        "4 delivered",
        "3 parked",
        "2 delivered",
        "1 pending next",
      ];
      assertEquals(await list(publicId, null), all);
      assertEquals(await list(publicId, null, 3), all.slice(0, 3));
      for (const status of ["pending", "parked", "delivered"]) {
        const some = all.filter((line) => line.includes(status));
        assertEquals(await list(publicId, status), some);
        assertEquals(await list(publicId, status, 1), some.slice(0, 1));
      }
      const [overview] = await operator
        .sql`select * from gold.endpoint_overview where public_id = ${publicId}`;
      assertEquals([overview!.waiting, overview!.parked], ["2", "2"]);
    });

    it("returns a next attempt only for a test event while the endpoint is disabled", async () => {
      const { client, publicId } = await partnerWith(1);
      await books
        .sql`select gold.post_event(${client}, 2, ${newUuid()}::uuid, ${newUuid()}::uuid, clock_timestamp(), 'order.executed')`;
      await plantEndpoint(books.sql, client, { passed: 2, disabled: true });
      for (const sequence of [1, 2]) await plantRetry(books.sql, client, sequence, { state: "due" });
      assertEquals(await list(publicId, null), ["2 pending", "1 pending next"]);
    });

    it("counts the waiting events of a partner to which nothing was ever sent", async () => {
      const { publicId } = await partnerWith(2);
      assertEquals(await list(publicId, null), ["2 pending", "1 pending"]);
      const [overview] = await operator
        .sql`select * from gold.endpoint_overview where public_id = ${publicId}`;
      assertEquals({ ...overview }, {
        public_id: publicId,
        disabled_at: null,
        failures: 0,
        rests_until: null,
        waiting: "2",
        parked: "0",
        number: 1,
        url: "https://localhost/",
        types: null,
      });
    });
  });
});

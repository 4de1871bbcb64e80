import { after, before, describe, it } from "node:test";
import type { TestPartner } from "@gold-partner/server/testing";
import { assertEquals, assertMatch } from "@std/assert";
import { assertRefused as refused, itemsOf, type TestOperator, testOperator } from "../fixture.ts";

const EPOCH = "1970-01-01T00:00:00.000Z";
const NOWHERE = "evt_019c1364-6eb8-7020-90c0-f0601000cb9f";

describe("gold event", () => {
  let operator: TestOperator;
  before(async () => void (operator = await testOperator()));
  after(() => operator.stop());

  const sql = () => operator.service.books.sql;
  /** Makes a partner with this number of delivered test events. Returns the ids of the events in order. */
  async function partnerWithEvents(
    events: number,
  ): Promise<{ partner: TestPartner; id: string; ids: string[] }> {
    const partner = await operator.service.addPartner();
    const ids: string[] = [];
    for (let n = 0; n < events; n++) {
      const reply = await operator.service.send("/v1/webhook/test", { partner });
      ids.push((await reply.json() as { id: string }).id);
    }
    const { client } = partner;
    await sql()`delete from gold.retry where client_id = ${client}`;
    await sql()`insert into gold.endpoint (bucket, client_id, passed) values (${
      client % 64
    }, ${client}, ${events})`;
    for (let n = 1; n <= events; n++) await attempt(partner, n, { status: 204 });
    return { partner, id: partner.clientId, ids };
  }
  let attempts = 0;
  async function attempt(
    { client }: TestPartner,
    sequence: number,
    { status = null, error = null, answer = null }: Record<string, string | number | null>,
  ): Promise<void> {
    await sql()`
      insert into gold.attempt (bucket, client_id, sequence, attempted_at, duration_ms, http_status, error, answer)
      values (${
      client % 64
    }, ${client}, ${sequence}, clock_timestamp() + ${attempts++} * interval '1 millisecond', 38, ${status}, ${error}, ${answer})`;
  }
  const park = ({ client }: TestPartner, sequence: number) =>
    sql()`
      insert into gold.retry (bucket, client_id, sequence, tries, parked_at) values (${
      client % 64
    }, ${client}, ${sequence}, 13, clock_timestamp())`;
  const listed = async (id: string, ...more: string[]) => {
    const answer = await operator.done("event", "list", id, ...more);
    return itemsOf(answer).map(({ sequence, status }) => `${sequence} ${status}`);
  };
  const shown = async (id: string) => {
    const partner = await operator.done("partner show", id);
    const { events_waiting, events_parked, webhook_failures, webhook_disabled_at } = partner;
    return { events_waiting, events_parked, webhook_failures, disabled: webhook_disabled_at !== null };
  };

  it("list shows a partner's events and every delivery attempt with the receiver's answer", async () => {
    const { partner, id, ids } = await partnerWithEvents(3);
    await attempt(partner, 2, { status: 500, answer: "<h1>Oops</h1>" });
    await attempt(partner, 2, { error: "timeout" });
    await park(partner, 2);
    const answer = await operator.done("event", "list", id);
    assertEquals(
      itemsOf(answer).map(({ event_id, sequence, type, status, next_attempt_at }) =>
        [event_id, sequence, type, status, next_attempt_at].join()
      ),
      [
        `${ids[2]},3,webhook.test,delivered,`,
        `${ids[1]},2,webhook.test,parked,`,
        `${ids[0]},1,webhook.test,delivered,`,
      ],
    );
    const attempts = answer.attempts as Record<string, unknown>[];
    assertEquals(
      attempts.map(({ sequence, http_status, duration_ms, error, answer }) =>
        [sequence, http_status, duration_ms, error, answer].join()
      ),
      ["3,204,38,,", "2,204,38,,", "2,500,38,,<h1>Oops</h1>", "2,,38,timeout,", "1,204,38,,"],
    );
    assertEquals(Object.keys(answer), ["items", "attempts"]);
    const { out } = await operator.gold("event", "list", id);
    assertMatch(out, /^sequence +event_id[^]*\nattempts:\nsequence +attempted_at[^]*Oops/);
  });

  it("list filters by --status, newest first, and limits the events with --limit", async () => {
    const { partner, id } = await partnerWithEvents(3);
    await park(partner, 1);
    await park(partner, 3);
    assertEquals(await listed(id, "--status", "parked"), ["3 parked", "1 parked"]);
    assertEquals(await listed(id, "--status", "delivered"), ["2 delivered"]);
    assertEquals(await listed(id, "--status", "pending"), []);
    assertEquals(await listed(id, "--limit", "1"), ["3 parked"]);
    refused(await operator.gold("event", "list", id, "--status", "lost"), 2, "pending, delivered, parked");
    refused(await operator.gold("event", "list", id, "--limit", "0"), 2, "--limit");
    refused(await operator.gold("event", "list", "sbx_nobody"), 1, "there is no partner sbx_nobody");
  });

  it("redeliver makes an event pending again, and warns if the endpoint is disabled", async () => {
    const { partner, id, ids } = await partnerWithEvents(2);
    await park(partner, 1);
    assertEquals(await operator.done("event", "redeliver", ids[0]!), {
      event_id: ids[0],
      client_id: id,
      sequence: 1,
      status: "pending",
      webhook_disabled_at: null,
    });
    assertEquals(await listed(id), ["2 delivered", "1 pending"]);
    await sql()`update gold.endpoint set disabled_at = clock_timestamp() where client_id = ${partner.client}`;
    const { out } = await operator.gold("event", "redeliver", ids[1]!);
    assertMatch(
      out,
      new RegExp(`^An endpoint that gets this event is disabled[.] .*gold endpoint set ${id} ENDPOINT`),
    );
    for (const unknown of [NOWHERE, "evt_1", ids[0]!.replace("evt_", "ord_")]) {
      refused(await operator.gold("event", "redeliver", unknown), 1, unknown);
    }
  });

  it("replay shows the number of events since a time, and sends them again after a yes", async () => {
    const { id } = await partnerWithEvents(3);
    const { items } = await operator.done("event", "list", id) as { items: { created_at: string }[] };
    const since = items[1]!.created_at;
    const expected = items.filter(({ created_at }) => created_at >= since).length;
    refused(
      await operator.gold("event", "replay", id, "--since", since),
      2,
      `Send ${expected} event(s) since ${since}`,
    );
    assertEquals((await listed(id))[0], "3 delivered");
    assertEquals(await operator.done("event", "replay", id, "--since", since), {
      client_id: id,
      since,
      events: expected,
    });
    assertEquals((await shown(id)).events_waiting, expected);
    assertEquals((await operator.done("event", "replay", id, "--since", EPOCH)).events, 3);
    assertEquals(await listed(id), ["3 pending", "2 pending", "1 pending"]);
    const { items: [note] } = await operator.done("audit", "list", "--subject", id, "--limit", "1") as {
      items: { action: string; login: string; detail: string }[];
    };
    assertEquals([note!.action, note!.login], ["event.replay", operator.login]);
    assertEquals(JSON.parse(note!.detail), {
      since: EPOCH,
      after_sequence: 0,
      events: 3,
      mode: "single_operator",
    });
  });

  it("replay is refused without events, and accepts only UTC times with milliseconds", async () => {
    const { id } = await partnerWithEvents(1);
    refused(
      await operator.gold("event", "replay", id, "--since", "9999-01-01T00:00:00.000Z"),
      1,
      `partner ${id} has no events since`,
    );
    for (const since of ["", "yesterday", "2026-01-31", "2026-02-30T00:00:00.000Z", "2026-01-31T09:30:00Z"]) {
      refused(await operator.gold("event", "replay", id, "--since", since, "--yes"), 2, "--since");
    }
    refused(await operator.gold("event", "replay", id, "--yes"), 2, "--since");
    refused(await operator.gold("event", "replay", "sbx_nobody", "--since", EPOCH, "--yes"), 1, "sbx_nobody");
    assertEquals(await listed(id), ["1 delivered"]);
  });

  it("partner show reports the endpoint's state, and setting the same URL enables the endpoint", async () => {
    const { partner, id } = await partnerWithEvents(3);
    await park(partner, 2);
    // Six events wait beside the test event: the IBAN, the URL and four credentials.
    await sql()`select gold.begin_change(${partner.client})`;
    await sql()`
      update gold.endpoint set passed = 2, failures = 6, disabled_at = clock_timestamp()
      where client_id = ${partner.client}`;
    const state = { events_waiting: 1, events_parked: 1, webhook_failures: 6, disabled: true };
    assertEquals(await shown(id), state);
    await operator.done("partner", "set", id, "--name", "Other Bank");
    assertEquals(await shown(id), state);
    const { webhook_url } = await operator.done("partner", "show", id);
    await operator.done("partner", "set", id, "--webhook", webhook_url as string);
    assertEquals(await shown(id), { ...state, webhook_failures: 0, disabled: false });
  });
});

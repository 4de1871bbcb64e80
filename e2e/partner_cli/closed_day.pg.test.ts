import { after, before, describe, it } from "node:test";
import { GoldClient, verifyWebhook } from "@gold-partner/client";
import type { Child } from "@gold-partner/dev";
import type { TestReceiver } from "@gold-partner/server/testing";
import { assert, assertEquals, assertMatch } from "@std/assert";
import { until } from "../../tools/testing/until.ts";
import type { Caller } from "../contract/caller_fixture.ts";
import { Stack } from "../contract/stack_fixture.ts";
import { startSecondService } from "../sidecar/second_service_fixture.ts";
import { type Found, openReceiver, runCli, writeCredentials } from "./cli_fixture.ts";
import { temporaryFolder } from "../../tools/testing/temporary_folder.ts";

describe("the end of a day, through a running service", () => {
  const folder = temporaryFolder("gold-day");
  let stack: Stack;
  let receiver: TestReceiver;
  let partner: Caller;
  let second: Child;

  before(async () => {
    stack = await Stack.open({ fresh: true });
    receiver = await openReceiver(stack);
    partner = await stack.onboard("Day Bank");
  });
  after(async () => {
    await second?.stop();
    await receiver?.stop();
    await stack?.close();
  });

  /**
   * Inserts a quote of 30 hours ago, whose day in Riyadh ended at least 6 hours ago, and moves the beginning
   * of the first epoch before it. Returns the quote's day.
   */
  async function insertPastQuote(): Promise<string> {
    const { client_id } = partner.credentials;
    return await stack.sql.begin(async (sql) => {
      await sql`set local session_replication_role = replica`;
      await sql`update gold.epoch set began_at = clock_timestamp() - interval '3 days' where id = 1`;
      const [row] = await sql`
        insert into gold.quote (bucket, client_id, side, id, grams, price, total, created_at, expires_at)
        select p.id % 64, p.id, 'buy', gold.new_uuid(at), 10000, 3210000, 32100, at, at + interval '1 minute'
        from gold.partner p, date_trunc('milliseconds', clock_timestamp() - interval '30 hours') at
        where p.public_id = ${client_id} returning gold.day_of(created_at)::text as day`;
      return row!.day as string;
    });
  }

  it("reaches the partner as a signed webhook and in GET /v1/events, and the audit accepts it", async () => {
    const date = await insertPastQuote();
    // A process closes the ended days when it starts.
    second = await startSecondService(stack, { LISTEN: `unix:${stack.socket("second.sock")}` });
    const delivery = await until(() =>
      receiver.deliveries.find(({ body }) => JSON.parse(body).type === "day.closed")
    );
    const { event } = verifyWebhook(delivery!.body, delivery!.headers, partner.credentials.webhook_secret);
    assert(event.type === "day.closed");
    const { day } = event.data;
    assertEquals([day.date, day.quotes, day.orders, day.refusals, day.first_sequence], [date, 1, 0, 0, null]);

    const file = await writeCredentials(folder, partner.credentials);
    const client = await GoldClient.fromCredentials(file);
    try {
      const listed = [];
      for await (const each of client.listEvents()) if (each.type === "day.closed") listed.push(each);
      assertEquals(listed.map(({ id, sequence, data }) => ({ id, sequence, day: data.day })), [
        { id: event.id, sequence: event.sequence, day },
      ]);
    } finally {
      client.close();
    }
    const { exit, out, err } = await runCli(["audit", "--json"], { env: { GOLD_CREDENTIALS: file } });
    const found = (JSON.parse(out) as { items: Found[] }).items.find(({ check }) => check === "day");
    assertEquals([exit, err, found?.result], [0, "", "ok"]);
    assertMatch(found!.detail, /: 1 compared\./);
  });
});

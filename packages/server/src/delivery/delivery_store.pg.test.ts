import { describe, it } from "node:test";
import { randomUUID } from "node:crypto";
import { assertEquals, assertRejects } from "@std/assert";
import { suiteBooks } from "../../testing/books.ts";
import { until } from "../../../../tools/testing/until.ts";
import { connect } from "../database/pools.ts";
import type { Pool } from "../database/query.ts";
import { createReceiver } from "./delivery_fixture.ts";
import { openDeliveryStore } from "./delivery_store.ts";

describe("openDeliveryStore()", () => {
  const books = suiteBooks();

  it("counts no endpoint as failing, and an event as unsent, before any worker sends", async () => {
    await createReceiver(books, 2);
    const [row] = await books.sql`
      select b.waiting::int, s.failing::int, s.unsent_seconds > 0 and s.unsent_seconds >= b.oldest_seconds as unsent
      from gold.read_backlog() b, gold.read_sending() s`;
    assertEquals({ ...row }, { waiting: 2, failing: 0, unsent: true });
  });

  it("is notified again after its connection was lost, from the next heartbeat on", async () => {
    const notified: string[] = [];
    const beat: Pool = connect(books.url, 1, { onNotify: (_channel, client) => void notified.push(client) });
    try {
      const store = openDeliveryStore({ work: beat, beat }, randomUUID());
      for (const client of ["1", "2", "3"]) {
        await store.renew();
        await books.sql`select pg_notify('gold_event', ${client})`;
        await until(() => notified.includes(client));
        await assertRejects(async () => void await beat`select pg_terminate_backend(pg_backend_pid())`);
      }
      assertEquals(notified, ["1", "2", "3"]);
    } finally {
      await beat.end({ timeout: 0 });
    }
  });
});

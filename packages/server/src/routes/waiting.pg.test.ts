import { expectProblem } from "../../testing/problem.ts";
import type { TestPartner } from "../../testing/partner.ts";
import { describe, it } from "node:test";
import { assertEquals } from "@std/assert";
import { setImmediate } from "node:timers/promises";
import { until } from "../../../../tools/testing/until.ts";
import { suiteService } from "../../testing/service.ts";

/**
 * The timeouts of locks and statements. The service's own could expire on a busy machine before all requests
 * have arrived. It still closes a connection that is silent for 12 s.
 */
const LONG_MS = 60_000;

describe("reads that wait for a locked account", () => {
  const service = suiteService({
    databaseUrl(url, login) {
      url.searchParams.set("role", login);
      url.searchParams.set("statement_timeout", `${LONG_MS}`);
      return url.href;
    },
  });

  it("do not delay other reads, and are refused if 512 already wait for the account", async () => {
    const [busy, other] = [service.partner, await service.addPartner()];
    await Promise.all([service.token(busy), service.token(other)]);
    const at = new Date(Date.now() - 5000).toISOString();
    const balances = (partner: TestPartner) =>
      service.send(`/v1/balances?at=${at}`, { method: "GET", partner });
    await service.books.sql.unsafe(`alter function gold.balance_at set lock_timeout = ${LONG_MS}`);
    const holder = service.books.connect("superuser", 1);
    let answered = 0;
    const waiting: Promise<Response>[] = [];
    await holder.begin(async (sql) => {
      await sql`select from gold.account where client_id = ${busy.client} for no key update`;
      for (let sent = 0; sent < 600; sent++) {
        waiting.push(balances(busy));
        void waiting[sent]!.then(() => answered++);
        // Let the service's timers run between two portions: it reads its registry once a second.
        if (sent % 20 === 0) await setImmediate();
      }
      const refused = 600 - 512;
      await until(() => answered >= refused);
      const replies = await Promise.all([
        balances(other),
        service.send("/v1/prices", { method: "GET", partner: other }),
        service.send("/health", { method: "GET", partner: other, headers: { Authorization: null } }),
        service.send("/v1/prices", { method: "GET", partner: busy }),
      ]);
      assertEquals(replies.map(({ status }) => status), [200, 200, 200, 200]);
      assertEquals(answered, refused);
    });
    const statuses = (await Promise.all(waiting)).map((reply) => reply.status === 200 ? "read" : reply);
    assertEquals(statuses.filter((one) => one === "read").length, 512);
    for (const reply of statuses) if (reply !== "read") await expectProblem(reply, "service_unavailable");
  });
});

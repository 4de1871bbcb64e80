import { randomUUID } from "node:crypto";
import { describe, it } from "node:test";
import { assertEquals } from "@std/assert";
import { suiteService } from "../../testing/service.ts";

const DOCS = "https://docs.gold.example";

describe("DOCS_URL", () => {
  const service = suiteService({ docsUrl: DOCS });
  const typeOf = async (reply: Response) => (await reply.clone().json() as { type: string }).type;

  it("makes the type of each error absolute, and a repeated refusal keeps its bytes", async () => {
    assertEquals(
      await typeOf(await service.send("/v1/quotes/x", { method: "GET" })),
      `${DOCS}/errors.html#not_found`,
    );
    // The database writes this refusal, which binds the key.
    const key = randomUUID();
    const withdraw = () =>
      service.signed("/v1/withdrawals", '{"amount_sar":1000000}', { headers: { "Idempotency-Key": key } });
    const refused = await withdraw();
    assertEquals(await typeOf(refused), `${DOCS}/errors.html#insufficient_funds`);
    assertEquals(await (await withdraw()).text(), await refused.text());
  });

  it("leaves a stored refusal from before as it was", async () => {
    const key = randomUUID();
    const withdraw = () =>
      service.signed("/v1/withdrawals", '{"amount_sar":2000000}', { headers: { "Idempotency-Key": key } });
    const text = (await (await withdraw()).text()).replace(`${DOCS}/errors.html`, "/docs/errors");
    await service.books.sql.begin(async (tx) => {
      await tx`set local session_replication_role = replica`;
      await tx`update gold.idempotency_key set body = ${text} where key = ${key}`;
    });
    assertEquals(await (await withdraw()).text(), text);
  });
});

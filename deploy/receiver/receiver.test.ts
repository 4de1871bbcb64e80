import { once } from "node:events";
import { rmSync, writeFileSync } from "node:fs";
import { createServer, type Server } from "node:http";
import { join } from "node:path";
import { after, before, beforeEach, describe, it } from "node:test";
import { newWebhookSecret, parseWebhookSecret, signWebhook } from "@gold-partner/protocol";
import { assertEquals } from "@std/assert";
import { answerWebhooks } from "./receiver.ts";
import { temporaryFolder } from "../../tools/testing/temporary_folder.ts";

const NOW_SECONDS = 1_700_000_000;
const BODY = '{"type":"order.executed","data":{"order_id":"ord_1"}}';
const newSecret = () => newWebhookSecret((length) => crypto.getRandomValues(new Uint8Array(length)));

describe("answerWebhooks()", () => {
  const folder = temporaryFolder("receiver-test");
  const secretsFile = join(folder, "webhook_secrets");
  const [older, newer] = [newSecret(), newSecret()];
  let lines: Record<string, unknown>[] = [];
  let server: Server;

  before(async () => {
    const write = (line: string) => void lines.push(JSON.parse(line) as Record<string, unknown>);
    server = createServer(
      answerWebhooks({ secretsFile, clientId: "sbx_own", nowSeconds: () => NOW_SECONDS, write }),
    );
    server.listen(0, "127.0.0.1");
    await once(server, "listening");
  });
  after(async () => {
    server.close();
    await once(server, "close");
  });
  beforeEach(() => {
    lines = [];
    writeFileSync(secretsFile, `${older}\n${newer}\n`);
  });

  async function deliver(
    secret: string,
    { body = BODY, signed = BODY, timestamp = NOW_SECONDS } = {},
  ): Promise<[number, string]> {
    const { port } = server.address() as { port: number };
    const signature = signWebhook({ id: "evt_1", timestamp, body: signed }, [parseWebhookSecret(secret)]);
    const reply = await fetch(`http://127.0.0.1:${port}/webhooks`, {
      method: "POST",
      headers: {
        "webhook-id": "evt_1",
        "webhook-timestamp": `${timestamp}`,
        "webhook-signature": signature,
        Connection: "close",
      },
      body,
    });
    return [reply.status, await reply.text()];
  }

  it("refuses an event for another partner", async () => {
    const body = '{"client_id":"sbx_other"}';
    assertEquals(await deliver(older, { body, signed: body }), [400, "client_mismatch"]);
  });

  it("accepts a delivery that any of the active secrets signed, and logs the event", async () => {
    for (const secret of [older, newer]) assertEquals(await deliver(secret), [204, ""]);
    const logged = { status: 204, id: "evt_1", event: JSON.parse(BODY) as unknown };
    assertEquals(lines, [logged, logged]);
  });

  it("reads the secrets again for each delivery, so that a rotation needs no restart", async () => {
    writeFileSync(secretsFile, `${newer}\n`);
    assertEquals(await deliver(older), [400, "signature_mismatch"]);
    assertEquals(await deliver(newer), [204, ""]);
  });

  it("rejects a changed body and an old delivery, and every delivery while it has no secret", async () => {
    assertEquals(await deliver(newer, { body: BODY.replace("ord_1", "ord_2") }), [400, "signature_mismatch"]);
    assertEquals(await deliver(newer, { timestamp: NOW_SECONDS - 3600 }), [400, "timestamp_too_old"]);
    writeFileSync(secretsFile, "");
    assertEquals(await deliver(newer), [400, "argument_invalid"]);
    assertEquals(lines.map(({ status }) => status), [400, 400, 400]);
  });

  it("answers 413 body_too_large to a body of more than 1 MiB", async () => {
    assertEquals(await deliver(newer, { body: `{"a":"${"a".repeat(1 << 20)}"}` }), [413, "body_too_large"]);
  });

  it("answers 500 receiver_failed if the file of secrets is missing", async () => {
    rmSync(secretsFile);
    assertEquals(await deliver(newer), [500, "receiver_failed"]);
  });
});

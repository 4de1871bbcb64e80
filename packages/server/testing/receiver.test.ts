import { once } from "node:events";
import { request } from "node:https";
import type { IncomingMessage } from "node:http";
import { beforeEach, describe, it } from "node:test";
import { assert, assertEquals, assertRejects } from "@std/assert";
import { testCertificate, testReceiver } from "./receiver.ts";
import { setUp } from "./set_up.ts";

describe("testReceiver()", () => {
  const receiver = setUp(() => testReceiver());
  beforeEach(() => {
    receiver.deliveries.length = 0;
    receiver.answer(204);
  });

  async function deliver(
    id: string,
    url = receiver.url,
  ): Promise<[number | undefined, string, string | undefined]> {
    const { ca } = testCertificate();
    const outgoing = request(url, { method: "POST", headers: { "webhook-id": id }, ca, agent: false });
    outgoing.end('{"note":"ذهب"}');
    const [reply] = await once(outgoing, "response") as [IncomingMessage];
    let text = "";
    for await (const part of reply.setEncoding("utf8")) text += part;
    return [reply.statusCode, text, reply.headers["retry-after"]];
  }

  it("records deliveries to its name and to its address, and answers 204", async () => {
    assertEquals(await deliver("evt_1"), [204, "", undefined]);
    await deliver("evt_2", `https://127.0.0.1:${receiver.port}/other`);
    const received = receiver.deliveries.map(({ id, path, body }) => [id, path, body]);
    assertEquals(received, [["evt_1", "/webhooks", '{"note":"ذهب"}'], ["evt_2", "/other", '{"note":"ذهب"}']]);
    assert(receiver.connections() >= 2);
  });

  it("answers as set: with a status, a full reply, late, or depending on the delivery", async () => {
    receiver.answer({ status: 429, headers: { "Retry-After": "7" }, body: "later", delayMs: 20 });
    const begunMs = performance.now();
    assertEquals(await deliver("evt_1"), [429, "later", "7"]);
    assert(performance.now() - begunMs > 15);
    receiver.answer(({ id }) => id === "evt_1" ? 500 : 200);
    assertEquals([(await deliver("evt_1"))[0], (await deliver("evt_2"))[0]], [500, 200]);
  });

  it("cuts a connection instead of answering", async () => {
    receiver.answer("cut");
    await assertRejects(() => deliver("evt_1"));
    assertEquals(receiver.deliveries.length, 1);
  });

  it("waits in awaitDeliveries() for the deliveries, or rejects and lists those that arrived", async () => {
    const both = receiver.awaitDeliveries(2);
    await deliver("evt_1");
    await deliver("evt_2");
    assertEquals((await both).map(({ id }) => id), ["evt_1", "evt_2"]);
    await assertRejects(
      () => receiver.awaitDeliveries(3, 10),
      Error,
      "2 of 3 deliveries arrived: evt_1, evt_2",
    );
  });

  it("stops while a sender waits for a reply", async () => {
    const other = await testReceiver();
    other.answer("hang");
    const hanging = deliver("evt_1", other.url).then(() => "answered", () => "ended");
    await other.awaitDeliveries(1);
    await other.stop();
    assertEquals(await hanging, "ended");
  });
});

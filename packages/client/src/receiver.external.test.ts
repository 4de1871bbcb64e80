import { once } from "node:events";
import { type AddressInfo, createServer } from "node:net";
import { after, before, describe, it } from "node:test";
import { assertEquals, assertRejects } from "@std/assert";
import { deliveryOf, describedEvents, secretOf } from "./delivery_fixture.ts";
import { type Receiver, RECEIVERS, startReceiver } from "./receiver_fixture.ts";

const [OLD, NEW, FOREIGN] = [secretOf(1), secretOf(2), secretOf(3)];
const [ordered] = describedEvents();
/**
 * An event with this sequence number. The receiver starts with LAST_SEQUENCE 40, so the first event that it
 * expects is 41.
 */
const eventOf = (sequence: number, previous_sequence: number | null | undefined = sequence - 1) => ({
  ...ordered!,
  id: `evt_019c1364-6eb8-7020-90c0-0000000000${sequence}`,
  sequence,
  previous_sequence,
  client_id: "sbx_own",
});
const lineOf = (sequence: number) => `${sequence} order.executed ${eventOf(sequence).id}`;

function tryReceiver(command: readonly string[]): void {
  let receiver: Receiver;

  before(async () => {
    receiver = await startReceiver(command);
  });
  after(() => receiver?.stop());

  const signedNow = (event: Parameters<typeof deliveryOf>[0], secrets: readonly string[], ageSeconds = 0) =>
    deliveryOf(event, secrets, { timestamp: Math.floor(Date.now() / 1000) - ageSeconds });
  const deliver = (sequence: number, secrets: readonly string[], ageSeconds = 0, changed = "") => {
    const { body, headers } = signedNow(eventOf(sequence), secrets, ageSeconds);
    return receiver.deliver(body.replace(/ord_./, (id) => changed || id), headers);
  };

  it("accepts a signed delivery, and answers at once while another connection is silent", async () => {
    receiver.acceptSecrets(OLD);
    await receiver.holdSilent();
    assertEquals([await deliver(41, [OLD]), await receiver.line()], [200, lineOf(41)]);
  });
  it("accepts deliveries throughout a rotation of the secret, and then rejects the old secret", async () => {
    assertEquals([await deliver(42, [OLD, NEW]), await receiver.line()], [200, lineOf(42)]);
    receiver.acceptSecrets(NEW);
    assertEquals([await deliver(43, [OLD, NEW]), await receiver.line()], [200, lineOf(43)]);
    receiver.acceptSecrets(OLD, NEW);
    assertEquals([await deliver(44, [NEW]), await receiver.line()], [200, lineOf(44)]);
    receiver.acceptSecrets(NEW);
    assertEquals(await deliver(45, [OLD]), 400);
  });
  it("rejects a changed body, another secret, a wrong time and malformed deliveries", async () => {
    assertEquals(await deliver(45, [NEW], 0, "ord_x"), 400);
    assertEquals(await deliver(45, [FOREIGN]), 400);
    assertEquals(await deliver(45, [NEW], 310), 400);
    assertEquals(await deliver(45, [NEW], -310), 400);
    const { body, headers } = signedNow(eventOf(45), [NEW]);
    for (const signature of ["", "v1", "v1,", "v1,é,", "v2,AAAA", "v1,A v1,====", " "]) {
      assertEquals(await receiver.deliver(body, { ...headers, "webhook-signature": signature }), 400);
    }
    assertEquals(await receiver.deliver(body, {}), 400);
    assertEquals(await receiver.deliver("", {}), 400);
  });
  it("says in a sentence that its port is taken, and ends", async () => {
    const other = createServer();
    await once(other.listen(0, "127.0.0.1"), "listening");
    const listen = `127.0.0.1:${(other.address() as AddressInfo).port}`;
    const { message } = await assertRejects(() => startReceiver(command, listen), Error);
    other.close();
    const taken = `${listen} is taken by another program; end that program, or set another port.`;
    // Deno prints above it that it checks the types.
    const [said, ...others] = message.trim().split("\n").filter((line) => !line.includes("Check")).reverse();
    assertEquals([said, others], [`The receiver cannot listen: ${taken}`, ["The receiver exited."]]);
  });
  it("rejects a body that is longer than any delivery", async () => {
    const long = { ...eventOf(45), note: "x".repeat(70_000) };
    const { body, headers } = signedNow(long, [NEW]);
    // The receiver may close the connection before it has read the body.
    const status = await receiver.deliver(body, headers).catch(() => 413);
    assertEquals(status, 413);
  });
  it("processes a repeated event only once, and processes events in the order of sequence", async () => {
    assertEquals([await deliver(44, [NEW]), await deliver(41, [NEW])], [200, 200]);
    assertEquals([await deliver(47, [NEW]), await receiver.line()], [200, "47 waits for 46"]);
    assertEquals([await deliver(46, [NEW]), await receiver.line()], [200, "46 waits for 45"]);
    assertEquals([await deliver(47, [NEW]), await deliver(45, [NEW])], [200, 200]);
    for (const sequence of [45, 46, 47]) assertEquals(await receiver.line(), lineOf(sequence));
    assertEquals([await deliver(46, [NEW]), await deliver(48, [NEW]), await receiver.line()], [
      200,
      200,
      lineOf(48),
    ]);
  });
  it("rejects an event for another partner, and accepts one that names none", async () => {
    const other = signedNow({ ...eventOf(49), client_id: "sbx_other" }, [NEW]);
    assertEquals(await receiver.deliver(other.body, other.headers), 400);
    const { client_id: _, ...old } = eventOf(49);
    const { body, headers } = signedNow(old, [NEW]);
    assertEquals([await receiver.deliver(body, headers), await receiver.line()], [200, lineOf(49)]);
  });
  it("waits for the event that previous_sequence names, and without the member for the one before", async () => {
    const send = async (event: { readonly id: string }) => {
      const { body, headers } = signedNow(event, [NEW]);
      assertEquals(await receiver.deliver(body, headers), 200);
    };
    await send(eventOf(55, 52));
    assertEquals(await receiver.line(), "55 waits for 52");
    await send(eventOf(60, null));
    assertEquals(await receiver.line(), lineOf(60));
    await send(eventOf(52, 48));
    for (const sequence of [52, 55]) assertEquals(await receiver.line(), lineOf(sequence));
    const { previous_sequence: _, ...old } = eventOf(62);
    await send(old);
    assertEquals(await receiver.line(), "62 waits for 61");
    const before = { ...old, id: eventOf(61).id, sequence: 61 };
    await send(before);
    for (const sequence of [61, 62]) assertEquals(await receiver.line(), lineOf(sequence));
  });
}

for (const [name, command] of Object.entries(RECEIVERS)) {
  describe(`the example receiver on ${name}`, () => tryReceiver(command));
}

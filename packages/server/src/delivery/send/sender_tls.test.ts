import { Buffer } from "node:buffer";
import { request } from "node:https";
import { after, before, describe, it } from "node:test";
import { assert, assertEquals } from "@std/assert";
import { createTestAuthority, type Issued } from "../../../testing/certificates.ts";
import { PinnedAgent, type PinnedOptions } from "../../http/outbound/pinned_agent.ts";
import { type Receiver, startPlace, startReceiver } from "./receiver_fixture.ts";
import { createSender } from "./sender.ts";
import { authority, HEADERS, HOST, RULES } from "./sender_fixture.ts";

/**
 * The ServerHello of a server that supports only TLS 1.1 and older. The bytes are fixed here, because Deno
 * cannot run such a server.
 */
const SERVER_HELLO_1_1 = Buffer.from(`160302002a020000260302${"00".repeat(32)}00c00900`, "hex");

/** Returns the extension supported_versions of a ClientHello. */
function offeredVersions(hello: Buffer): string[] {
  const sessionAt = 43;
  const ciphersAt = sessionAt + 1 + hello.readUInt8(sessionAt);
  const compressionsAt = ciphersAt + 2 + hello.readUInt16BE(ciphersAt);
  let at = compressionsAt + 1 + hello.readUInt8(compressionsAt) + 2;
  while (hello.readUInt16BE(at) !== 43) at += 4 + hello.readUInt16BE(at + 2);
  const list = hello.subarray(at + 5, at + 5 + hello.readUInt8(at + 4));
  return (list.toString("hex").match(/.{4}/g) ?? []).toSorted();
}

describe("Sender.post() over TLS", () => {
  const receivers: Receiver[] = [];
  let good: Receiver;
  const receiverWith = async (certificate: Issued) => {
    const receiver = await startReceiver(certificate);
    receivers.push(receiver);
    return receiver;
  };
  before(async () =>
    void (good = await receiverWith(authority.issue([HOST, "*.wild.example", "127.0.0.1"])))
  );
  after(() => Promise.all(receivers.map((receiver) => receiver.stop())));

  const senderWith = (ca?: string) =>
    createSender({ rules: () => RULES, ca, nowMs: Date.now, resolve: () => Promise.resolve(["127.0.0.1"]) });
  async function outcome({ port, received }: Receiver, host = HOST, ca: string | undefined = authority.ca) {
    const sender = senderWith(ca);
    const before = received.length;
    const { httpStatus, error } = await sender.post(`https://${host}:${port}/`, HEADERS, "{}");
    sender.stop();
    // No request arrives at a receiver that is not trusted.
    assertEquals(received.length - before, httpStatus === null ? 0 : 1);
    return httpStatus ?? error;
  }

  it("accepts only a certificate for the URL's host, by name or by address", async () => {
    for (const host of [HOST, HOST.toUpperCase(), "a.wild.example", "127.0.0.1", "127.1"]) {
      assertEquals(await outcome(good, host), 204, host);
    }
    const hosts = [
      "other.example",
      `sub.${HOST}`,
      "wild.example",
      "a.b.wild.example",
      "localhost",
      "127.0.0.2",
    ];
    for (const host of hosts) {
      const result = await outcome(good, host);
      assert(
        result === "tls_failed" || (host === "127.0.0.2" && result === "connect_failed"),
        `${host}: ${result}`,
      );
    }
    const named = await receiverWith(authority.issue([HOST]));
    assertEquals(await outcome(named, "127.0.0.1"), "tls_failed");
  });

  it("rejects a certificate that has expired, is not yet valid, or has another issuer", async () => {
    const certificates = [
      authority.issue([HOST], -2, -1),
      authority.issue([HOST], 1, 2),
      createTestAuthority().issue([HOST]),
    ];
    for (const certificate of certificates) {
      assertEquals(await outcome(await receiverWith(certificate)), "tls_failed");
    }
    const sender = senderWith();
    const { error } = await sender.post(`https://${HOST}:${good.port}/`, HEADERS, "{}");
    assertEquals(error, "tls_failed");
    sender.stop();
  });

  it("rejects a certificate that names the host only in its common name", async () => {
    for (const names of [[], ["127.0.0.1"]]) {
      const certificate = authority.issueByCommonName(HOST, names);
      assertEquals(await outcome(await receiverWith(certificate)), "tls_failed", `${names}`);
    }
    const elsewhere = authority.issueByCommonName("other.example", [HOST]);
    assertEquals(await outcome(await receiverWith(elsewhere)), 204);
  });

  it("offers only TLS 1.2 and 1.3, and rejects older versions", async () => {
    let hello: Buffer = Buffer.alloc(0);
    const old = await startPlace((socket) =>
      void socket.once("data", (bytes: Buffer) => {
        hello = bytes;
        socket.write(SERVER_HELLO_1_1);
      })
    );
    // Set a deadline shorter than the connect timeout of 5 s, because that timeout gives tls_failed, too.
    const sender = createSender({ rules: () => RULES, nowMs: Date.now, deadlineMs: 4500 });
    const { error } = await sender.post(`https://127.0.0.1:${old.port}/`, HEADERS, "{}");
    assertEquals(error, "tls_failed");
    assertEquals(offeredVersions(hello), ["0303", "0304"]);
    sender.stop();
    await old.stop();
  });

  it("checks certificates even with NODE_TLS_REJECT_UNAUTHORIZED=0 in the environment", async () => {
    process.env.NODE_TLS_REJECT_UNAUTHORIZED = "0";
    try {
      assertEquals(await outcome(good, "other.example"), "tls_failed");
      assertEquals(await outcome(good, HOST, createTestAuthority().ca), "tls_failed");
    } finally {
      delete process.env.NODE_TLS_REJECT_UNAUTHORIZED;
    }
  });

  it("trusts the CA of loopback receivers only at loopback addresses", async () => {
    const reach = (address: string) =>
      new Promise((resolve) => {
        const { port } = good;
        const destination = {
          key: address,
          hostname: HOST,
          addresses: [address],
          port,
          host: HOST,
          path: "/",
          secure: true,
        };
        const options: PinnedOptions = {
          agent: new PinnedAgent(authority.ca, false),
          destination,
          method: "POST",
        };
        const sent = request(options, (response) => resolve(response.resume().statusCode));
        sent.on("error", (error) => resolve((error as { code?: string }).code));
        sent.end();
      });
    assertEquals(await reach("127.0.0.1"), 204);
    // Reach the same machine by an address outside the loopback range.
    assertEquals(await reach("0.0.0.0"), "tls_failed");
  });
});

import { Buffer } from "node:buffer";
import { randomBytes } from "node:crypto";
import { connect } from "node:net";
import { after, before, describe, it } from "node:test";
import { assert, assertEquals, assertLessOrEqual } from "@std/assert";
import type { Certificate } from "../contract/caller_fixture.ts";
import { Faults } from "../contract/faults_fixture.ts";
import { Stack } from "../contract/stack_fixture.ts";
import { certificateOf } from "./certificate_fixture.ts";
import { countArrived } from "./direct_fixture.ts";
import { expectRefused, hostOf, portOf, requestText, visit } from "./visit_fixture.ts";

/** Lowers openssl's security level, because openssl itself would otherwise refuse to offer this cipher. */
const cipher = (names: string) => ["-cipher", `${names}:@SECLEVEL=0`];

/** Each entry has the expected alert, and the options with which openssl offers only one weak feature. */
const WEAK: readonly (readonly [alert: string, ...offers: string[]])[] = [
  ["protocol_version", "-tls1", ...cipher("ALL")],
  ["protocol_version", "-tls1_1", ...cipher("ALL")],
  ...[
    "AES128-SHA",
    "AES128-GCM-SHA256",
    "DHE-RSA-AES256-GCM-SHA384",
    "ECDHE-RSA-AES128-GCM-SHA256",
    "ECDHE-ECDSA-AES128-SHA",
    "ECDHE-ECDSA-AES128-SHA256",
    "ECDHE-ECDSA-AES128-CCM8",
    "aNULL",
    "eNULL",
  ].map((names): [string, ...string[]] => ["handshake_failure", "-tls1_2", ...cipher(names)]),
  ["handshake_failure", "-tls1_3", "-ciphersuites", "TLS_AES_128_CCM_SHA256"],
  ["handshake_failure", "-groups", "P-521"],
  ["handshake_failure", "-groups", "X448"],
  ["handshake_failure", "-sigalgs", "RSA+SHA256"],
  ["handshake_failure", "-sigalgs", "RSA-PSS+SHA256"],
  ["handshake_failure", "-sigalgs", "ECDSA+SHA512"],
];

/** Envoy allows three seconds for a handshake. The rest is for the pauses of a busy machine. */
const HANDSHAKE_MS = 20_000;

describe("TLS at Envoy", () => {
  let stack: Stack;
  let own: Certificate;
  before(async () => {
    stack = await Stack.open({ envoy: true });
    own = await certificateOf(stack.partner);
  });
  after(() => stack.close());

  const health = (host = hostOf(stack)) => requestText(host, "GET /health");

  it("refuses an old version, a weak cipher, curve or signature, even from a partner", async () => {
    const [faults, arrived] = [new Faults(), await countArrived(stack)];
    for (const [alert, ...options] of WEAK) {
      await faults.note(options.join(" "), async () => {
        const found = await visit(stack, own, { options, sends: health() });
        assertEquals([found.alert, found.reply], [alert, undefined], found.said);
      });
    }
    faults.expectNone();
    assertEquals(await countArrived(stack), arrived);
  });

  it("comes before HTTP, so bytes without TLS get no HTTP reply and do not reach the service", async () => {
    const openings: Record<string, Buffer> = {
      "plain HTTP": Buffer.from(health()),
      "h2 without TLS": Buffer.from("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"),
      "PROXY protocol 1": Buffer.from(`PROXY TCP4 10.0.0.1 127.0.0.1 1 2\r\n${health()}`),
      "PROXY protocol 2": Buffer.from("0d0a0d0a000d0a515549540a2111000c0a0000017f00000100010002", "hex"),
      "SSL 2": Buffer.from("802e0100020015000000100100800200800300800400800500800600400700c0", "hex"),
      "SSL 3": Buffer.from("160300002d0100002903005e" + "00".repeat(36) + "0100", "hex"),
      "an alert": Buffer.from("15030300020100", "hex"),
      "application data": Buffer.from("170303000548454c4c4f", "hex"),
      "a hello of no length": Buffer.from("1603010005010000010300", "hex"),
      "noise": Buffer.concat([Buffer.from("1603010200", "hex"), randomBytes(600)]),
    };
    const [faults, arrived] = [new Faults(), await countArrived(stack)];
    for (const [what, opening] of Object.entries(openings)) {
      await faults.note(what, async () => {
        const received = await open(portOf(stack), opening);
        // Envoy sends nothing, or one TLS record that holds an alert.
        assert(
          received.length === 0 || (received[0] === 0x15 && received.length === 7),
          received.toString("hex"),
        );
      });
    }
    faults.expectNone();
    assertEquals(await countArrived(stack), arrived);
  });

  it("closes a connection whose handshake does not start or does not finish in time", async () => {
    const started = performance.now();
    const half = Buffer.from("1603010200010001fc0303", "hex");
    const waits = [Buffer.alloc(0), half].map(async (opening) => {
      const received = await open(portOf(stack), opening);
      assertEquals(received.length, 0);
      return performance.now() - started;
    });
    for (const ms of await Promise.all(waits)) assertLessOrEqual(ms, HANDSHAKE_MS);
  });

  it("accepts no other host name, whatever name the TLS handshake contains", async () => {
    for (const name of ["localhost", "evil.example"]) {
      const options = ["-servername", name];
      const others = ["evil.example", "localhost:1", "127.0.0.1", "localhost.evil.example"];
      await Promise.all(
        others.map((host) => expectRefused(stack, own, "not_found", health(host), { options })),
      );
      assertEquals((await visit(stack, own, { options, sends: health() })).reply?.status, 200);
      assertEquals((await visit(stack, undefined, { options })).alert, "certificate_required");
    }
  });

  it("uses HTTP/1.1 if no protocol is negotiated, and refuses HTTP/1.1 on an h2 connection", async () => {
    for (const protocol of ["http/1.1", "http/1.0", "h2c", "spdy/3", "acme-tls/1"]) {
      const options = ["-alpn", protocol];
      assertEquals((await visit(stack, own, { options, sends: health() })).reply?.status, 200, protocol);
      assertEquals((await visit(stack, undefined, { options })).alert, "certificate_required", protocol);
    }
    const arrived = await countArrived(stack);
    const { reply, ended } = await visit(stack, own, { options: ["-alpn", "h2"], sends: health() });
    assertEquals([reply?.status, ended], [undefined, true]);
    assertEquals(await countArrived(stack), arrived);
  });
});

/** Sends `opening` and returns what the other side sends until it closes the connection. */
function open(port: number, opening: Buffer): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const socket = connect(port, "127.0.0.1");
    const parts: Uint8Array[] = [];
    const tooLong = setTimeout(() => {
      reject(new Error("The connection was not closed in time."));
      socket.destroy();
    }, HANDSHAKE_MS);
    socket.on("data", (part: Uint8Array) => parts.push(part)).on("error", () => {}).on("close", () => {
      clearTimeout(tooLong);
      resolve(Buffer.concat(parts));
    });
    if (opening.length > 0) socket.write(opening);
  });
}

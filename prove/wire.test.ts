import { describe, it } from "node:test";
import { createServer, type Server, type Socket } from "node:net";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { assertEquals } from "@std/assert";
import { check } from "./race.ts";
import { type Reply, tallyOf, tallyText, verdictOf, Wire } from "./wire.ts";

/** A fake service on a separate socket. It answers as the test defines. */
async function serve(answer: (socket: Socket) => void, test: (wire: Wire) => Promise<void>): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), "gold-wire-"));
  const server: Server = createServer((socket) =>
    socket.on("error", () => {}).on("data", () => answer(socket))
  );
  try {
    await new Promise<void>((resolve) => server.listen(join(folder, "s"), resolve));
    const wire = await Wire.open(join(folder, "s"));
    await test(wire);
    wire.close();
  } finally {
    await new Promise((resolve) => server.close(resolve));
    await rm(folder, { recursive: true });
  }
}

const reply = (status: number, body: string, headers: Record<string, string> = {}): Reply => ({
  status,
  body,
  headers: new Map(Object.entries(headers)),
});
const REQUEST = new Uint8Array([71]);

describe("Wire", () => {
  it("reads a reply that arrives in pieces, and the reply after it", async () => {
    const text = "HTTP/1.1 201 Created\r\nX-One: a: b\r\nContent-Length: 3\r\n\r\n";
    await serve((socket) => {
      socket.write(text.slice(0, 30));
      setTimeout(() => socket.write(`${text.slice(30)}é`), 5);
      setTimeout(() => socket.write("!"), 10);
    }, async (wire) => {
      for (let n = 0; n < 2; n++) {
        const found = await wire.send(REQUEST);
        assertEquals([found?.status, found?.body, found?.headers.get("x-one")], [201, "é!", "a: b"]);
      }
    });
  });

  it("returns undefined if the connection ends before the reply, and for later requests", async () => {
    await serve(
      (socket) => socket.end("HTTP/1.1 201 Created\r\nContent-Length: 9\r\n\r\nhalf"),
      async (wire) => {
        assertEquals(await wire.send(REQUEST), undefined);
        assertEquals(wire.closed, true);
        assertEquals(await wire.send(REQUEST), undefined);
      },
    );
  });
});

describe("verdictOf()", () => {
  it("distinguishes first results, replays and refusals", () => {
    const replies = [
      reply(200, "{}", { "idempotent-replayed": "true" }),
      reply(201, "{}"),
      reply(409, '{"code":"nonce_reused"}'),
      reply(409, '{"code":"quote_already_executed"}', { "idempotent-replayed": "true" }),
      undefined,
    ];
    assertEquals(replies.map(verdictOf), [
      "200 replayed",
      "201",
      "409 nonce_reused",
      "409 quote_already_executed",
      "none",
    ]);
    assertEquals(tallyText(tallyOf([replies[1], replies[0], replies[0]])), "2 × 200 replayed, 1 × 201");
  });
});

describe("check()", () => {
  it("accepts only the allowed tallies, and only one body for all successes", () => {
    const round = { requests: [], allowed: [{ "201": 1, "200 replayed": 1 }, { "201": 2 }], oneAnswer: true };
    const [first, again] = [reply(201, "a"), reply(200, "a", { "idempotent-replayed": "true" })];
    assertEquals(check(round, [first, again]), []);
    assertEquals(check(round, [first, first]), []);
    assertEquals(check(round, [first, { ...again, body: "b" }]), [
      "all successful replies to one idempotency key must have the same body; got 2 different bodies",
    ]);
    assertEquals(check(round, [first, undefined]).length, 1);
  });
});

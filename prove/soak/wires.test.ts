import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { createServer, type RequestListener } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, it } from "node:test";
import { assert, assertEquals } from "@std/assert";
import { Wires } from "./wires.ts";

const REQUEST = new TextEncoder().encode("GET / HTTP/1.1\r\nHost: localhost\r\n\r\n");

/** Starts a real server on a Unix socket, and counts its connections. */
async function withServer(
  answer: RequestListener,
  act: (wires: Wires, connections: () => number) => Promise<void>,
): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), "gold-wires-"));
  let connections = 0;
  const server = createServer(answer).on("connection", () => connections++);
  server.listen(join(folder, "server.sock"));
  await once(server, "listening");
  const wires = new Wires(join(folder, "server.sock"));
  try {
    await act(wires, () => connections);
  } finally {
    wires.close();
    server.closeAllConnections();
    server.close();
    await rm(folder, { recursive: true });
  }
}

describe("Wires", () => {
  it("sends all requests over at most 256 connections, and reuses them", async () => {
    await withServer((_, reply) => setTimeout(() => reply.end("{}"), 20), async (wires, connections) => {
      for (let round = 0; round < 2; round++) {
        const replies = await Promise.all(Array.from({ length: 600 }, () => wires.send(REQUEST)));
        assertEquals(replies.filter((reply) => reply?.status === 200).length, 600);
      }
      assertEquals(connections(), 256);
    });
  });
  it("opens all connections beforehand, and no other connection later", async () => {
    await withServer((_, reply) => reply.end("{}"), async (wires, connections) => {
      await wires.openAll();
      const replies = await Promise.all(Array.from({ length: 300 }, () => wires.send(REQUEST)));
      assertEquals(replies.filter((reply) => reply?.status === 200).length, 300);
      assertEquals(connections(), 256);
    });
  });
  it("does not reuse a connection whose reply has Connection: close", async () => {
    const answer: RequestListener = (_, reply) => reply.setHeader("connection", "close").end("{}");
    await withServer(answer, async (wires, connections) => {
      for (let n = 1; n <= 3; n++) {
        assertEquals((await wires.send(REQUEST))?.status, 200);
        assertEquals(connections(), n);
      }
    });
  });
  it("returns undefined if there is no reply, and still serves the next request", async () => {
    let asked = 0;
    const answer: RequestListener = (request, reply) =>
      asked++ === 0 ? request.socket.destroy() : reply.end("{}");
    await withServer(answer, async (wires) => {
      assertEquals(await wires.send(REQUEST), undefined);
      assert((await wires.send(REQUEST))?.status === 200);
    });
    assertEquals(await new Wires("/nowhere.sock").send(REQUEST), undefined);
  });
});

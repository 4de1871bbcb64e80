import { createAdaptorServer } from "@hono/node-server";
import { newId } from "@gold-partner/protocol";
import { once } from "node:events";
import { assertEquals, assertRejects } from "@std/assert";
import type { AddressInfo } from "node:net";
import { describe, it } from "node:test";
import { streamReply } from "./reply.ts";

const EXCHANGE = { requestId: newId("req_", 0, (length) => new Uint8Array(length)) };
type Env = Parameters<typeof streamReply>[2]["env"];
const contextOf = (env: Env) =>
  ({ env, get: () => EXCHANGE }) as unknown as Parameters<typeof streamReply>[2];

/** Sends a reply of these parts over a socket, and receives it. */
async function send<T>(
  parts: () => AsyncGenerator<string>,
  receive: (reply: Response) => Promise<T>,
): Promise<T> {
  const server = createAdaptorServer({
    fetch: (_request, env) => streamReply(parts(), "text/plain", contextOf(env as Env), { Vary: "Accept" }),
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  try {
    return await receive(await fetch(`http://127.0.0.1:${(server.address() as AddressInfo).port}/`));
  } finally {
    server.close();
  }
}

describe("streamReply()", () => {
  it("sends the parts in order, with Cache-Control: no-store", async () => {
    async function* parts() {
      for (const part of ["a", "ü", "c".repeat(100_000)]) yield await Promise.resolve(part);
    }
    await send(parts, async (reply) => {
      assertEquals(await reply.text(), `aü${"c".repeat(100_000)}`);
      const names = ["Content-Type", "Cache-Control", "Vary", "X-Request-Id"];
      assertEquals(names.map((name) => reply.headers.get(name)), [
        "text/plain",
        "no-store",
        "Accept",
        EXCHANGE.requestId,
      ]);
    });
  });

  it("breaks the connection if a part fails, so that the reader notices", async () => {
    async function* parts() {
      yield "a".repeat(50_000);
      await new Promise((resolve) => setTimeout(resolve, 20));
      throw new Error("the database went away");
    }
    await send(parts, async (reply) => {
      assertEquals(reply.status, 200);
      await assertRejects(() => reply.text());
    });
  });

  it("ends the generator when the client closes its connection", async () => {
    let end = () => {};
    const ended = new Promise<void>((resolve) => end = resolve);
    async function* parts() {
      try {
        for (;;) yield await Promise.resolve("a".repeat(50_000));
      } finally {
        end();
      }
    }
    await send(parts, async (reply) => {
      const reader = reply.body!.getReader();
      await reader.read();
      await reader.cancel();
      await ended;
    });
  });

  it("produces no part before the reader needs it or after the reader has cancelled", async () => {
    let made = 0;
    let ended = false;
    async function* parts() {
      try {
        for (;; made++) yield await Promise.resolve("a");
      } finally {
        ended = true;
      }
    }
    const reply = streamReply(parts(), "text/plain", contextOf({}), {});
    await new Promise((resolve) => setTimeout(resolve, 5));
    assertEquals(made, 0);
    const reader = reply.body!.getReader();
    await reader.read();
    await reader.read();
    await reader.cancel();
    assertEquals([made, ended], [1, true]);
  });
});

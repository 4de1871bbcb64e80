import { once } from "node:events";
import { Agent, createServer, request, type RequestListener, type Server } from "node:http";
import { type AddressInfo, connect } from "node:net";
import { describe, it } from "node:test";
import { assertEquals, assertMatch } from "@std/assert";
import { type GracefulShutdown, prepareShutdown } from "./graceful_shutdown.ts";

/** Starts a server with prepareShutdown() applied to it. */
async function serve(
  answer: RequestListener,
): Promise<{ server: Server; shutdown: GracefulShutdown; port: number }> {
  const server = createServer(answer);
  const shutdown = prepareShutdown(server, () => {});
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return { server, shutdown, port: (server.address() as AddressInfo).port };
}

/** Starts a server that holds each answer until the test sends it. */
async function serveLate() {
  const answers: (() => void)[] = [];
  const served = await serve((_request, response) => {
    answers.push(() => void response.end("late"));
  });
  return { ...served, answers };
}

const pause = () => new Promise((resolve) => setTimeout(resolve, 5));

async function get(port: number, agent: Agent): Promise<{ status: number; connection: string | undefined }> {
  const outgoing = request({ port, host: "127.0.0.1", agent }).end();
  const [reply] = await once(outgoing, "response");
  await once(reply.resume(), "end");
  return { status: reply.statusCode, connection: reply.headers.connection };
}

describe("prepareShutdown()", () => {
  it("sends Connection: close in each reply after the announcement, and in none before", async () => {
    const { shutdown, port } = await serve((_request, response) => response.end("x"));
    const agent = new Agent({ keepAlive: true });
    assertMatch((await get(port, agent)).connection ?? "keep-alive", /^keep-alive$/i);
    shutdown.announce();
    assertEquals(await get(port, agent), { status: 200, connection: "close" });
    // Check that the server still accepts new connections.
    assertEquals(await get(port, agent), { status: 200, connection: "close" });
    await shutdown.close();
    agent.destroy();
  });

  it("sends Connection: close in a reply that was in flight at the announcement", async () => {
    const { shutdown, port, answers } = await serveLate();
    const agent = new Agent({ keepAlive: true });
    const reply = get(port, agent);
    while (answers.length === 0) await pause();
    shutdown.announce();
    answers[0]!();
    assertEquals(await reply, { status: 200, connection: "close" });
    await shutdown.close();
    agent.destroy();
  });

  it("closes connections without a request at once, and waits for replies in flight", async () => {
    const { shutdown, port, answers } = await serveLate();
    const ahead = connect(port, "127.0.0.1").resume();
    await once(ahead, "connect");
    const agent = new Agent({ keepAlive: true });
    const reply = get(port, agent);
    while (answers.length === 0) await pause();
    shutdown.announce();
    let closed = false;
    const closing = shutdown.close().then(() => closed = true);
    await once(ahead, "close");
    assertEquals(closed, false);
    answers[0]!();
    assertEquals(await reply, { status: 200, connection: "close" });
    await closing;
    agent.destroy();
  });
});

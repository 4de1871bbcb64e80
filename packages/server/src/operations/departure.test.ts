import { once } from "node:events";
import { Agent, createServer, request, type RequestListener, type Server } from "node:http";
import { type AddressInfo, connect } from "node:net";
import { describe, it } from "node:test";
import { assertEquals, assertMatch } from "@std/assert";
import { type Departure, prepareDeparture } from "./departure.ts";

/** Starts a server with prepareDeparture() applied to it. */
async function serve(
  answer: RequestListener,
): Promise<{ server: Server; departure: Departure; port: number }> {
  const server = createServer(answer);
  const departure = prepareDeparture(server, () => {});
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return { server, departure, port: (server.address() as AddressInfo).port };
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
  const asked = request({ port, host: "127.0.0.1", agent }).end();
  const [reply] = await once(asked, "response");
  await once(reply.resume(), "end");
  return { status: reply.statusCode, connection: reply.headers.connection };
}

describe("prepareDeparture()", () => {
  it("sends Connection: close in each reply after the announcement, and in none before", async () => {
    const { departure, port } = await serve((_request, response) => response.end("x"));
    const agent = new Agent({ keepAlive: true });
    assertMatch((await get(port, agent)).connection ?? "keep-alive", /^keep-alive$/i);
    departure.announce();
    assertEquals(await get(port, agent), { status: 200, connection: "close" });
    // Check that the server still accepts new connections.
    assertEquals(await get(port, agent), { status: 200, connection: "close" });
    await departure.close();
    agent.destroy();
  });

  it("sends Connection: close in a reply that was in flight at the announcement", async () => {
    const { departure, port, answers } = await serveLate();
    const agent = new Agent({ keepAlive: true });
    const reply = get(port, agent);
    while (answers.length === 0) await pause();
    departure.announce();
    answers[0]!();
    assertEquals(await reply, { status: 200, connection: "close" });
    await departure.close();
    agent.destroy();
  });

  it("closes connections without a request at once, and waits for replies in flight", async () => {
    const { departure, port, answers } = await serveLate();
    const ahead = connect(port, "127.0.0.1").resume();
    await once(ahead, "connect");
    const agent = new Agent({ keepAlive: true });
    const reply = get(port, agent);
    while (answers.length === 0) await pause();
    departure.announce();
    let closed = false;
    const closing = departure.close().then(() => closed = true);
    await once(ahead, "close");
    assertEquals(closed, false);
    answers[0]!();
    assertEquals(await reply, { status: 200, connection: "close" });
    await closing;
    agent.destroy();
  });
});

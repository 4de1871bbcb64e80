import { once } from "node:events";
import type { AddressInfo } from "node:net";
import { createServer, type TLSSocket } from "node:tls";
import { describe, it } from "node:test";
import { assert, assertEquals, assertMatch } from "@std/assert";
import { createTestAuthority } from "@gold-partner/server/testing";
import { KeepAliveConnection } from "./partner_line.ts";

const REQUEST = new Uint8Array([71]);
const SERVED = "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n";
const LAST = "HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: 0\r\n\r\n";

/** A TLS server that requires a certificate of its authority and answers as the test defines. */
async function serve(
  answer: (socket: TLSSocket) => void,
  test: (line: KeepAliveConnection, stop: () => void) => Promise<void>,
): Promise<void> {
  const { ca, issue } = createTestAuthority();
  const [own, client] = [issue(["localhost"]), issue(["client"])];
  const open = new Set<TLSSocket>();
  const server = createServer(
    { ca, cert: own.cert, key: own.key, requestCert: true, rejectUnauthorized: true },
    (socket) => {
      open.add(socket);
      socket.on("error", () => {}).on("data", () => answer(socket));
    },
  ).listen(0, "127.0.0.1");
  await once(server, "listening");
  const line = new KeepAliveConnection((server.address() as AddressInfo).port, {
    ca,
    cert: client.cert,
    key: client.key,
  });
  const stop = () => {
    server.close();
    for (const socket of open) socket.destroy();
  };
  try {
    await test(line, stop);
  } finally {
    line.close();
    stop();
  }
}

const statusOf = async (line: KeepAliveConnection) => {
  const reply = await line.send(REQUEST);
  return typeof reply === "string" ? reply : reply.status;
};

describe("KeepAliveConnection", () => {
  it("reuses a connection until a reply has Connection: close", async () => {
    let replies = 0;
    await serve((socket) => socket.write(++replies === 3 ? LAST : SERVED), async (line) => {
      const opened: number[] = [];
      for (let n = 0; n < 5; n++) {
        assertEquals(await statusOf(line), 200);
        opened.push(line.opened);
      }
      assertEquals(opened, [1, 1, 1, 2, 2]);
    });
  });

  it("has at most 32 requests in flight, and sends waiting requests later", async () => {
    let [underWay, most] = [0, 0];
    await serve((socket) => {
      most = Math.max(most, ++underWay);
      setTimeout(() => (underWay--, socket.write(SERVED)), 100);
    }, async (line) => {
      const statuses = await Promise.all(Array.from({ length: 100 }, () => statusOf(line)));
      assertEquals([new Set(statuses), line.opened], [new Set([200]), 32]);
      assert(most > 1 && most <= 32, `${most}`);
    });
  });

  it("reports why there is no reply, and never sends a request twice", async () => {
    let requests = 0;
    await serve(
      (socket) => (++requests === 1 ? socket.write(SERVED) : socket.destroy()),
      async (line, stop) => {
        assertEquals(await statusOf(line), 200);
        assertEquals(await statusOf(line), "a kept connection ended without a reply");
        assertEquals(await statusOf(line), "a new connection ended without a reply");
        assertEquals(requests, 3);
        stop();
        const said = await statusOf(line);
        assert(typeof said === "string");
        assertMatch(said, /^no connection: ./);
      },
    );
  });
});

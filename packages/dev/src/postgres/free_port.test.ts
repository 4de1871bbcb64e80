import { createServer } from "node:net";
import { assert, assertEquals } from "@std/assert";
import { once } from "node:events";
import { describe, it } from "node:test";
import { findFreePort, PortFinder } from "./free_port.ts";

describe("findFreePort()", () => {
  it("never returns a port or one of the two ports after it twice, even to two processes", async () => {
    // Each process has one PortFinder.
    const other = new PortFinder();
    const finding = Array.from({ length: 300 }, () => [findFreePort(), other.find()]).flat();
    const ports = await Promise.all(finding);
    assertEquals(new Set(ports.flatMap((port) => [port, port + 1, port + 2])).size, 1800);
  });

  it("skips a port if another program listens on it or on one of the two ports after it", async () => {
    const finder = new PortFinder();
    const first = await finder.find();
    const servers = [first + 3, first + 7, first + 11].map((port) =>
      createServer().listen(port, "127.0.0.1")
    );
    try {
      await Promise.all(servers.map((server) => once(server, "listening")));
      const next = await finder.find();
      assert(![first + 3, first + 6, first + 9].includes(next), `${first} ${next}`);
    } finally {
      for (const server of servers) server.close();
    }
  });
});

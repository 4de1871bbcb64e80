import { createServer } from "node:https";
import type { AddressInfo } from "node:net";
import { describe, it } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { openTransport } from "@gold-partner/client";
import { newServerAuthority } from "@gold-partner/dev";
import { assertEquals } from "@std/assert";
setFlagsFromString("--expose-gc");
const collectGarbage: () => void = runInNewContext("gc");

describe("the transport of this runtime", () => {
  it("ends a silent stream that the caller aborts after a garbage collection", async () => {
    const { ca, issue } = await newServerAuthority();
    const identity = { ca, ...await issue() };
    const server = createServer(identity, (_request, response) => {
      response.on("error", () => {}).write("data: 1\n\n");
    });
    await new Promise<void>((resolve) => server.listen(0, "localhost", resolve));
    const transport = openTransport(identity);
    const ending = new AbortController();
    try {
      const url = `https://localhost:${(server.address() as AddressInfo).port}`;
      const { body } = await transport.open!({ method: "GET", url, headers: {}, signal: ending.signal });
      const parts = body[Symbol.asyncIterator]();
      assertEquals(new TextDecoder().decode((await parts.next()).value), "data: 1\n\n");
      const ended = parts.next().then(() => "read on", () => "ended");
      // A later turn of the event loop, because the current one keeps what it has used.
      await sleep(10);
      collectGarbage();
      ending.abort();
      assertEquals(await Promise.race([ended, sleep(5000, "silent", { ref: false })]), "ended");
    } finally {
      transport.close();
      server.closeAllConnections();
      server.close();
    }
  });
});

import { createServer } from "node:https";
import type { AddressInfo } from "node:net";
import { describe, it } from "node:test";
import { GoldClient, GoldError } from "@gold-partner/client";
import { newServerAuthority } from "@gold-partner/dev";
import { assertEquals, assertMatch, assertRejects } from "@std/assert";
const REPLY_MAX_BYTES = 64 * 1024 * 1024;

describe("GoldClient, when a reply is longer than 64 MiB", () => {
  it("reports it after one request", async () => {
    const { ca, issue } = await newServerAuthority();
    const identity = { ca, ...await issue() };
    let requests = 0;
    const server = createServer(identity, (_request, response) => {
      requests++;
      response.on("error", () => {}).end(new Uint8Array(REPLY_MAX_BYTES + 1));
    });
    await new Promise<void>((resolve) => server.listen(0, "localhost", resolve));
    const client = await GoldClient.open({
      ...{ baseUrl: `https://localhost:${(server.address() as AddressInfo).port}`, clientId: "sbx_1" },
      ...{ clientSecret: "secret", ...identity },
    });
    try {
      const error = await assertRejects(() => client.getHealth(), GoldError);
      assertEquals([requests, error.code, error.retryable], [1, "reply_invalid", false]);
      assertMatch(error.message, /longer than 67108864 bytes/);
    } finally {
      client.close();
      server.closeAllConnections();
      server.close();
    }
  });
});

import { once } from "node:events";
import { createServer } from "node:net";
import process from "node:process";
import { describe, it } from "node:test";
import { assertRejects } from "@std/assert";
import { refuseBusyPort } from "./port_holder.ts";
import { findFreePort } from "./mod.ts";

describe("refuseBusyPort()", () => {
  it("names the process that listens on loopback or on all addresses, and accepts a free port", async () => {
    for (const host of ["127.0.0.1", "::"]) {
      const port = await findFreePort();
      await refuseBusyPort(port);
      const server = createServer().listen(port, host);
      await once(server, "listening");
      const holder = process.platform === "linux" ? ` by ${"Deno" in globalThis ? "deno" : "node"}` : "";
      try {
        await assertRejects(() => refuseBusyPort(port), Error, `Port ${port} is taken${holder}`);
      } finally {
        await new Promise((resolve) => server.close(resolve));
      }
      await refuseBusyPort(port);
    }
  });
});

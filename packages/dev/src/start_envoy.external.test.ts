import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import process from "node:process";
import { after, before, describe, it } from "node:test";
import { assertEquals, assertStringIncludes } from "@std/assert";
import { findFreePort } from "./postgres/mod.ts";
import { awaitEndWithin, executablesUnder, familyOf, runToEnd, startUntilReady } from "../testing/start.ts";

describe("npm start -- --envoy", () => {
  let folder: string;
  let options: string[];
  before(async () => {
    folder = await mkdtemp(join(tmpdir(), "gold-"));
    options = ["--port", `${await findFreePort()}`, "--envoy"];
  });
  after(() => rm(folder, { recursive: true, force: true }));
  const state = () => join(folder, "state");

  it("trades through Envoy, and runs no program besides this runtime, Postgres and Envoy", async () => {
    const started = await startUntilReady(state(), ...options);
    try {
      const programs = new Set(executablesUnder(started.child.pid!).map((path) => basename(path)));
      assertEquals([...programs].sort(), [basename(process.execPath), "envoy", "postgres"].sort());
    } finally {
      assertEquals(await started.stop(), 0);
    }
  });

  it("leaves no Envoy behind when it is killed, and starts again on the same port", async () => {
    const started = await startUntilReady(state(), ...options, "--no-demo");
    const { start, sidecar } = started.run.pids;
    assertEquals(executablesUnder(sidecar!).map((path) => basename(path)), ["envoy"]);
    const pids = familyOf(start);
    process.kill(start, "SIGKILL");
    await awaitEndWithin(10_000, pids);
    const again = await startUntilReady(state(), ...options);
    assertEquals(await again.stop(), 0);
  });

  it("reports that the port is taken instead of sharing it", async () => {
    const port = await findFreePort();
    const other = createServer();
    await new Promise<void>((resolve) => other.listen(port, "127.0.0.1", resolve));
    try {
      const { code, err } = await runToEnd("--state", state(), "--port", `${port}`, "--envoy", "--exit");
      assertEquals(code, 1);
      assertStringIncludes(err, `Port ${port} is taken`);
    } finally {
      await new Promise((resolve) => other.close(resolve));
    }
  });

  it("explains in one sentence why Envoy did not start", async () => {
    await writeFile(join(folder, "envoy"), "#!/bin/sh\necho no such luck >&2\nexit 1\n", { mode: 0o755 });
    process.env.ENVOY_BINARY = join(folder, "envoy");
    try {
      const { code, err } = await runToEnd("--state", state(), ...options, "--exit");
      assertEquals(code, 1);
      assertStringIncludes(err, "npm start failed. Envoy did not start.");
      assertStringIncludes(err, "no such luck");
    } finally {
      delete process.env.ENVOY_BINARY;
    }
  });
});

import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import process from "node:process";
import { after, before, describe, it } from "node:test";
import { fileURLToPath } from "node:url";
import { findFreePort } from "@gold-partner/dev/postgres";
import { assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import { openShell, type Shell } from "./shell_fixture.ts";
import { type Started, startUntilReady } from "@gold-partner/dev/testing";

const ROOT = fileURLToPath(new URL("../..", import.meta.url));

describe("the final output of npm start", () => {
  let folder: string;
  let started: Started;
  let shell: Shell;
  before(async () => {
    folder = await mkdtemp(join(tmpdir(), "gold-ending-"));
    const port = `${await findFreePort()}`;
    // Use a path that a shell splits into two words, so that the printed commands must quote it.
    started = await startUntilReady(join(folder, "bank's state"), "--port", port, "--no-demo");
    shell = openShell(folder, { PATH: process.env.PATH!, HOME: folder });
    await shell.run(`cd '${ROOT}'`);
  });
  after(async () => {
    await shell.stop();
    await started.stop();
    await rm(folder, { recursive: true, force: true });
  });

  /** Finds a printed line and runs it in a shell from `start` on, as a person would paste it. */
  const paste = (start: string, of: string, orElse = "") => {
    const line = started.said().split("\n").find((line) => line.includes(start) && line.includes(of))!;
    return shell.run(line.slice(line.indexOf(start)) + orElse);
  };

  it("has a curl command that works when it is pasted", async () => {
    assertEquals(await paste("curl ", "/health"), '{"status":"ok"}');
  });

  it("has an operator command that works when it is pasted", async () => {
    assertStringIncludes(await paste("npm run gold", "partner list"), "Example Bank");
  });

  it("has the command that resets the same state folder", () => {
    assertStringIncludes(started.said(), `npm start -- --state '${folder}/bank'\\''s state' --reset`);
  });

  it("has a command that reads the metrics", async () => {
    assertStringIncludes(await paste("curl ", "/metrics"), "# TYPE gold_");
  });

  it("has a k6 command that works when it is pasted", async () => {
    // Accept 99: k6 exits with 99 if it missed a response time of the service levels, which happens on a busy
    // machine.
    const said = await paste("PATH=", "k6 run", " || [ $? = 99 ]");
    assertMatch(said, /^\| orders_accepted +\| +[1-9]\d* \|$/m);
    assertMatch(said, /^\| books_differences +\| +0 \|$/m);
  });
});

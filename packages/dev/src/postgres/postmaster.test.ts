import { spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { describe, it } from "node:test";
import { assertEquals } from "@std/assert";
import { findPostmaster } from "./postmaster.ts";
import { temporaryFolder } from "../../../../tools/testing/temporary_folder.ts";

const LOOK_MS = 500;

describe("findPostmaster()", () => {
  it("finds no server while a server that ends removes its pid file", async () => {
    const clusterDir = temporaryFolder("gold-pid-file");
    const pidFile = join(clusterDir, "postmaster.pid");
    // The pid is of a process that lives and is not a server.
    const ending = spawn("sh", [
      "-c",
      `while :; do echo ${process.pid} > ${pidFile}; rm -f ${pidFile}; done`,
    ]);
    try {
      await once(ending, "spawn");
      for (const untilMs = performance.now() + LOOK_MS; performance.now() < untilMs;) {
        assertEquals(findPostmaster(clusterDir), undefined);
      }
    } finally {
      ending.kill("SIGKILL");
      await once(ending, "exit");
    }
  });
});

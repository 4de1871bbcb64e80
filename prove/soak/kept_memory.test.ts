import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import process from "node:process";
import { describe, it } from "node:test";
import { fileURLToPath } from "node:url";
import { assert } from "@std/assert";
import { runtimeArguments } from "../../testing/runtime_arguments.ts";
import { residentMebibytes } from "../resident_memory.ts";
import { KeptMemory } from "./kept_memory.ts";

const PROGRAM = fileURLToPath(new URL("./kept_memory_fixture.ts", import.meta.url));

describe("KeptMemory", () => {
  it("returns the memory that a running process keeps without garbage, each time it is called", async () => {
    const folder = await mkdtemp(join(tmpdir(), "gold-kept-"));
    const memory = new KeptMemory(join(folder, "heap"));
    const child = spawn(process.execPath, runtimeArguments(PROGRAM), {
      env: { ...process.env, ...memory.environment },
      stdio: ["ignore", "pipe", "inherit"],
    });
    const ended = once(child, "exit");
    try {
      const [said] = await once(child.stdout, "data");
      const before = memory.isHeap ? Number(`${said}`) : residentMebibytes(child.pid!);
      for (let times = 0; times < 2; times++) {
        const kept = await memory.read(child.pid!);
        assert(kept > 4 && kept < before - 30, `${kept} MiB of ${before}`);
      }
    } finally {
      child.kill("SIGKILL");
      await ended;
      await rm(folder, { recursive: true });
    }
  });
});

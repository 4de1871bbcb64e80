import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import process from "node:process";
import { describe, it } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { assert, assertEquals } from "@std/assert";
import { familyCpuMs, processCpuMs } from "./process_cpu.ts";

/** A shell that computes for a while. */
const WORK = "i=0; while [ $i -lt 400000 ]; do i=$((i+1)); done";

describe("processCpuMs() and familyCpuMs()", () => {
  it("count the process; the second counts its ended children, too", () => {
    const [own, family] = [processCpuMs(process.pid), familyCpuMs(process.pid)];
    assert(own > 0, `${own} ms`);
    assertEquals(spawnSync("sh", ["-c", WORK]).status, 0);
    const [ownSpent, familySpent] = [processCpuMs(process.pid) - own, familyCpuMs(process.pid) - family];
    assert(familySpent >= ownSpent + 50, `${familySpent} ms with children, ${ownSpent} ms without`);
  });
  it("count a child while it lives, and not a process that is no child", async () => {
    const family = familyCpuMs(process.pid) - processCpuMs(process.pid);
    const child = spawn("sh", ["-c", `${WORK}; read line`], { stdio: ["pipe", "ignore", "ignore"] });
    try {
      const deadline = performance.now() + 10_000;
      while (processCpuMs(child.pid!) < 100 && performance.now() < deadline) await sleep(20);
      const living = familyCpuMs(process.pid) - processCpuMs(process.pid) - family;
      assert(living >= 100, `${living} ms`);
      assertEquals(processCpuMs(child.pid!), familyCpuMs(child.pid!));
    } finally {
      child.stdin.end();
      await once(child, "exit");
    }
  });
});

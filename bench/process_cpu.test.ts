import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import process from "node:process";
import { describe, it } from "node:test";
import { assert, assertEquals } from "@std/assert";
import { familyCpuMs, processCpuMs } from "./process_cpu.ts";

/** A shell command that uses CPU time for a while. */
const WORK = "i=0; while [ $i -lt 400000 ]; do i=$((i+1)); done";

describe("processCpuMs() and familyCpuMs()", () => {
  it("both count the process itself, and familyCpuMs() also counts its ended children", () => {
    const [own, family] = [processCpuMs(process.pid), familyCpuMs(process.pid)];
    assert(own > 0, `${own} ms`);
    assertEquals(spawnSync("sh", ["-c", WORK]).status, 0);
    const [ownSpent, familySpent] = [processCpuMs(process.pid) - own, familyCpuMs(process.pid) - family];
    assert(familySpent >= ownSpent + 50, `${familySpent} ms with children, ${ownSpent} ms without`);
  });
  it("familyCpuMs() counts a living child, and no other process", async () => {
    const family = familyCpuMs(process.pid) - processCpuMs(process.pid);
    const child = spawn("sh", ["-c", `${WORK}; echo done; read line`], { stdio: ["pipe", "pipe", "ignore"] });
    try {
      await once(child.stdout, "data");
      const spent = processCpuMs(child.pid!);
      assert(spent >= 50, `${spent} ms`);
      // Read `own` first, because this process uses CPU time between the two readings.
      const own = processCpuMs(process.pid);
      const living = familyCpuMs(process.pid) - own - family;
      assert(living >= spent, `counted ${living} ms for a child that used ${spent} ms`);
      const alone = familyCpuMs(child.pid!);
      // Allow one tick more, because the clock may tick before the child is idle.
      assert(
        spent <= alone && alone <= processCpuMs(child.pid!),
        `counted ${alone} ms for a child that used ${spent} ms`,
      );
    } finally {
      child.stdin.end();
      await once(child, "exit");
    }
  });
});

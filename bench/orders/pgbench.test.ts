import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, it } from "node:test";
import { assertEquals, assertThrows } from "@std/assert";
import { findPgbench } from "./pgbench.ts";

describe("findPgbench()", () => {
  it("returns the first executable pgbench, and otherwise names the package to install", () => {
    const dir = mkdtempSync(join(tmpdir(), "gold-bench-test-"));
    try {
      const folders = ["absent", "not_executable", "first", "second"].map((name) => join(dir, name));
      for (const folder of folders.slice(1)) {
        mkdirSync(folder);
        writeFileSync(join(folder, "pgbench"), "");
      }
      assertThrows(() => findPgbench(folders.slice(0, 1)), Error, "apt-get install");
      for (const folder of folders.slice(2)) chmodSync(join(folder, "pgbench"), 0o755);
      chmodSync(join(folders[1]!, "pgbench"), 0o644);
      assertEquals(findPgbench(folders), join(folders[2]!, "pgbench"));
    } finally {
      rmSync(dir, { recursive: true });
    }
  });
});

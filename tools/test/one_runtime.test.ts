import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, it } from "node:test";
import { assertEquals, assertThrows } from "@std/assert";
import { readOneRuntime, runsOn } from "./one_runtime.ts";

/** Writes the list into a temporary root with the file here.test.ts, and reads it there. */
function read(list: Record<string, { runtime: string; reason: string }>) {
  const root = mkdtempSync(join(tmpdir(), "one-runtime-"));
  try {
    mkdirSync(join(root, "tools"));
    writeFileSync(join(root, "here.test.ts"), "");
    writeFileSync(join(root, "tools/one_runtime.json"), JSON.stringify(list));
    return readOneRuntime(root);
  } finally {
    rmSync(root, { recursive: true });
  }
}

describe("readOneRuntime()", () => {
  it("accepts an existing file with a runtime and a reason", () => {
    const list = { "here.test.ts": { runtime: "node", reason: "it reads /proc" } };
    assertEquals<unknown>(read(list), list);
  });

  it("accepts a folder as an entry for all files below it", () => {
    const list = read({ "tools/": { runtime: "node", reason: "it reads files" } });
    assertEquals(
      ["tools/a/b.test.ts", "toolshed/c.test.ts"].map((file) => runsOn("deno", file, list)),
      [false, true],
    );
  });

  it("rejects an entry without its file, an unknown runtime and a missing reason", () => {
    assertThrows(
      () => read({ "gone.test.ts": { runtime: "node", reason: "x" } }),
      Error,
      "which does not exist",
    );
    assertThrows(
      () => read({ "here.test.ts": { runtime: "bun", reason: "x" } }),
      Error,
      "must have the runtime node or deno",
    );
    assertThrows(() => read({ "here.test.ts": { runtime: "node", reason: "" } }), Error, "has no reason");
  });
});

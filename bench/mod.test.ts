import { spawnSync } from "node:child_process";
import { describe, it } from "node:test";
import process from "node:process";
import { fileURLToPath } from "node:url";
import { runtimeArguments } from "../testing/runtime_arguments.ts";
import { assert, assertEquals, assertStringIncludes } from "@std/assert";

const ENTRY = fileURLToPath(new URL("./mod.ts", import.meta.url));

function bench(...args: string[]): { code: number | null; says: string } {
  const { status, stdout, stderr } = spawnSync(process.execPath, [...runtimeArguments(ENTRY), ...args], {
    encoding: "utf8",
    timeout: 300_000,
  });
  return { code: status, says: stdout + stderr };
}

describe("npm run bench", () => {
  it("lists the benchmarks when none is named", () => {
    const { code, says } = bench();
    assertEquals(code, 0);
    for (
      const text of [
        "envoy ",
        "jws ",
        "k6_signing ",
        "nonces ",
        "orders ",
        "tokens ",
        "webhooks ",
        "--strict",
        "--json FILE",
      ]
    ) {
      assertStringIncludes(says, text);
    }
  });
  it("exits with 2 and prints the usage for a wrong name, option or commit", () => {
    for (
      const args of [
        ["nothing"],
        ["jws", "--fast"],
        ["jws", "--against", "HEAD"],
        ["orders", "--against", "0000000"],
      ]
    ) {
      const { code, says } = bench(...args);
      assertEquals(code, 2, says);
      assertStringIncludes(says, "Usage: npm run bench");
    }
  });
  it("runs only the contests that --only selects, and exits with 1 under --strict if a goal was missed", () => {
    const { code, says } = bench("jws", "--short", "--only", "nothing");
    assertEquals(code, 2, says);
    const [, first, second] = /The contests are: ([^;]+); ([^;.]+)/.exec(says)!;
    const one = bench("jws", "--short", "--strict", "--only", second!);
    assertEquals(one.code, one.says.includes("goal missed:") ? 1 : 0, one.says);
    assertStringIncludes(one.says, `\n${second}\n`);
    assert(!one.says.includes(`\n${first}\n`), one.says);
  });
});

import { execFile } from "node:child_process";
import { describe, it } from "node:test";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { assert, assertEquals, assertMatch } from "../../../tools/testing/assert.ts";
import { runtimeArguments } from "../../../tools/testing/runtime_arguments.ts";

const MAIN = fileURLToPath(new URL("./main.ts", import.meta.url));

async function sidecar(args: readonly string[], settings: Readonly<Record<string, string>> = {}) {
  const env = { ...process.env, ...settings };
  return await promisify(execFile)(process.execPath, [...runtimeArguments(MAIN), ...args], { env }).then(
    ({ stdout, stderr }) => ({ code: 0, stdout, stderr }),
    ({ code, stdout, stderr }) =>
      ({ code, stdout, stderr }) as { code: number; stdout: string; stderr: string },
  );
}

describe("sidecar", () => {
  it("prints the usage of all commands or of one with --help, and exits with 0", async () => {
    const { code, stdout, stderr } = await sidecar(["--help"]);
    assertEquals([code, stderr], [0, ""]);
    const lines = stdout.trimEnd().split("\n");
    for (const name of ["config", "keep", "drain"]) {
      const own = lines.filter((line) => line.startsWith(`sidecar ${name} [`));
      assertEquals(await sidecar([name, "--help"]), { code: 0, stdout: `${own.join("\n")}\n`, stderr: "" });
    }
    assertEquals(lines.length, 3);
  });

  it("exits with 2 without a command and with an unknown one", async () => {
    for (const args of [[], ["start"], ["toString"]]) {
      const { code, stdout, stderr } = await sidecar(args);
      assertEquals([code, stdout], [2, ""]);
      assertMatch(stderr, / Usage: sidecar config \| keep \| drain\n$/);
    }
  });

  it("names a variable that looks like a misspelt setting", async () => {
    const { code, stderr } = await sidecar(["config"], { UPSTREAM: "unix:/run/gold/api.sock" });
    assertEquals(code, 2);
    assert(
      stderr.startsWith("UPSTREAM is not a setting and has no effect. Did you mean UPSTREAMS?\n"),
      stderr,
    );
  });
});

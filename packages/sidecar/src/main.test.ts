import { describe, it } from "node:test";
import { assert, assertEquals, assertMatch } from "@std/assert";
import { runSidecar } from "./sidecar_fixture.ts";

describe("sidecar", () => {
  it("prints the usage of all commands or of one with --help, and exits with 0", async () => {
    const { code, out, error } = await runSidecar(["--help"]);
    assertEquals([code, error], [0, ""]);
    const lines = out.trimEnd().split("\n");
    for (const name of ["config", "keep", "drain"]) {
      const own = lines.filter((line) => line.startsWith(`sidecar ${name} [`));
      assertEquals(await runSidecar([name, "--help"]), { code: 0, out: `${own.join("\n")}\n`, error: "" });
    }
    assertEquals(lines.length, 3);
  });

  it("exits with 2 without a command and with an unknown one", async () => {
    for (const args of [[], ["start"], ["toString"]]) {
      const { code, out, error } = await runSidecar(args);
      assertEquals([code, out], [2, ""]);
      assertMatch(error, / Usage: sidecar config \| keep \| drain\n$/);
    }
  });

  it("names a variable that looks like a misspelt setting", async () => {
    const { code, error } = await runSidecar(["config"], { UPSTREAM: "unix:/run/gold/api.sock" });
    assertEquals(code, 2);
    assert(
      error.startsWith("UPSTREAM is not a setting and has no effect. Did you mean UPSTREAMS?\n"),
      error,
    );
  });
});

import { readFileSync, statSync } from "node:fs";
import { assertEquals, assertMatch } from "@std/assert";
import { join } from "node:path";
import process from "node:process";
import { describe, it } from "node:test";
import { SIDECAR_SETTINGS } from "./settings.ts";
import { temporaryFolder } from "../../../tools/testing/temporary_folder.ts";
import { runSidecar, SETTINGS } from "./sidecar_fixture.ts";

/** Runs `sidecar config` without the settings of the tests' own environment. */
async function runConfig(settings: Record<string, string>, ...args: string[]) {
  const unset = Object.fromEntries(SIDECAR_SETTINGS.map(({ name }) => [name, ""]));
  const { code, out, error } = await runSidecar(["config", ...args], { ...unset, ...settings });
  return { code, says: out + error };
}

describe("sidecar config", () => {
  it("writes Envoy's configuration, which only its owner and group can read, with any umask", async () => {
    const umask = process.umask(0o077);
    const folder = temporaryFolder("sidecar-config");
    const { code, says } = await runConfig({
      ...SETTINGS,
      CONFIG_DIRECTORY: join(folder, "envoy"),
      TRUST_DIRECTORY: join(folder, "trust"),
      SERVER_CERTIFICATE_DIRECTORY: join(folder, "tls"),
    });
    process.umask(umask);
    const files = ["envoy.json", "server_certificate.json", "own_refusals.json"].map((name) =>
      join(folder, "envoy", name)
    );
    assertEquals([code, says], [0, files.map((file) => `wrote ${file}\n`).join("")]);
    assertEquals(JSON.parse(readFileSync(files[0]!, "utf8")).node, { id: "sidecar", cluster: "production" });
    assertEquals(files.map((file) => statSync(file).mode & 0o777), [0o640, 0o640, 0o640]);
    assertEquals(statSync(join(folder, "envoy")).mode & 0o777, 0o755);
  });

  it("exits with 2 if it cannot write its files, and names the settings of the folders", async () => {
    const { code, says } = await runConfig({ ...SETTINGS, CONFIG_DIRECTORY: "/dev/null/envoy" });
    assertEquals(code, 2);
    assertMatch(
      says,
      /^The configuration has 1 fault\(s\):\n- CONFIG_DIRECTORY or FRONT_DIRECTORY cannot be written: ENOTDIR[^\n]*\n$/,
    );
  });

  it("--explain lists every setting with its default, even if the environment sets none", async () => {
    const { code, says } = await runConfig({}, "--explain");
    assertEquals(code, 0);
    const lines = says.trimEnd().split("\n").map((line) => line.split(/ {2,}/));
    assertEquals(
      lines,
      SIDECAR_SETTINGS.map(({ name, default: byDefault = "(must be set)", meaning }) => [
        name,
        byDefault || "(none)",
        meaning,
      ]),
    );
  });

  it("reports every fault of the settings, and rejects unknown arguments", async () => {
    const faulty = await runConfig({ GOLD_ENV: "staging" });
    assertEquals(faulty.code, 2);
    assertMatch(faulty.says, /^The configuration has 6 fault\(s\):\n- GOLD_ENV is "staging"/);
    const argument = await runConfig({}, "--list");
    assertEquals(argument.code, 2);
    assertMatch(argument.says, /^sidecar config \[--explain\]: writes Envoy's configuration/);
  });
});

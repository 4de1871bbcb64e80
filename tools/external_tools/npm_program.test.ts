import { chmodSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import process from "node:process";
import { describe, it } from "node:test";
import { assert, assertEquals, assertMatch, assertThrows } from "@std/assert";
import { bruno } from "./bruno.ts";
import { MissingToolError } from "./part.ts";

const PACKAGE = "node_modules/@usebruno/cli";

/** Calls `use` with an npm on PATH that runs this script, or without any npm. */
function withNpm(script: string | undefined, use: (folder: string) => void): void {
  const folder = mkdtempSync(join(tmpdir(), "npm-program-"));
  const path = process.env["PATH"];
  if (script !== undefined) {
    writeFileSync(join(folder, "npm"), `#!/bin/sh\n${script}`);
    chmodSync(join(folder, "npm"), 0o755);
  }
  process.env["PATH"] = script === undefined ? folder : `${folder}${delimiter}${path}`;
  try {
    use(folder);
  } finally {
    process.env["PATH"] = path;
    rmSync(folder, { recursive: true, force: true });
  }
}

describe("npmProgram()", () => {
  it("installs the packages of its own lockfile without scripts, and replaces an older folder", () => {
    withNpm(
      `echo "$@" > asked && [ -s package-lock.json ] && mkdir -p ${PACKAGE} && cp package.json ${PACKAGE}`,
      (folder) => {
        mkdirSync(join(folder, "bruno/older"), { recursive: true });
        bruno.install(folder);
        assert(bruno.isInstalled(folder));
        assertMatch(bruno.version, /^@usebruno\/cli 4\.1\.0, pins [0-9a-f]{12}$/);
        assertMatch(readFileSync(join(folder, "bruno/asked"), "utf8"), /^ci --ignore-scripts /);
        assertThrows(() => readFileSync(join(folder, "bruno/older")));
      },
    );
  });

  it("reports a failure of npm or a missing npm, and installs nothing", () => {
    withNpm("echo integrity >&2; exit 1", (folder) => {
      assertThrows(() => bruno.install(folder), Error, "integrity");
      assertEquals(bruno.isInstalled(folder), false);
    });
    withNpm(undefined, (folder) => {
      assertThrows(() => bruno.install(folder), MissingToolError, "npm was not found on PATH");
    });
  });
});

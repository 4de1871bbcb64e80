import { chmodSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import process from "node:process";
import { describe, it } from "node:test";
import { assert, assertEquals, assertMatch, assertThrows } from "@std/assert";
import { composeGo } from "./compose_go.ts";
import { gitleaks } from "./gitleaks.ts";

/**
 * Stands in for go. It answers a download with this checksum, records every other call, and creates the
 * programs.
 */
const go = (sum: string) =>
  `#!/bin/sh
folder=$(dirname "$0")
[ "$1" = mod ] && { echo '{"Dir":"/cache","Sum":"${sum}"}'; exit 0; }
echo "$(basename "$PWD") $GOFLAGS $@" >> "$folder/calls"
mkdir -p "$folder/bin" && touch "$folder/bin/compose_go" "$folder/bin/gitleaks"
`;

function withGo(sum: string, use: (folder: string) => void): void {
  const folder = mkdtempSync(join(tmpdir(), "go-program-test-"));
  const { PATH } = process.env;
  writeFileSync(join(folder, "go"), go(sum));
  chmodSync(join(folder, "go"), 0o755);
  process.env.PATH = `${folder}${delimiter}${PATH}`;
  try {
    use(folder);
  } finally {
    process.env.PATH = PATH;
    rmSync(folder, { recursive: true, force: true });
  }
}

const callsIn = (folder: string) => readFileSync(join(folder, "calls"), "utf8");

describe("goProgram()", () => {
  it("builds only a module with the pinned checksum", () => {
    withGo("h1:PmEvCfVI7ti9dV3s5aMZUY7sS2GxRvG3yzih7E+cS3w=", (folder) => {
      gitleaks.install(folder);
      assert(gitleaks.isInstalled(folder));
      assertMatch(callsIn(folder), / install github\.com\/zricethezav\/gitleaks\/v8@v8\.30\.1\n$/);
    });
    withGo("h1:other=", (folder) => {
      assertThrows(() => gitleaks.install(folder), Error, "differs from the reviewed module");
      assert(!gitleaks.isInstalled(folder));
    });
  });
});

describe("goSource()", () => {
  it("builds its own source in its own folder, without changes to go.sum", () => {
    withGo("", (folder) => {
      composeGo.install(folder);
      assert(composeGo.isInstalled(folder));
      assertEquals(
        callsIn(folder),
        `compose_go -mod=readonly build -o ${join(folder, "bin/compose_go")} .\n`,
      );
    });
  });

  it("has a version that contains a hash of its source", () => {
    assertMatch(
      composeGo.version,
      /^github\.com\/compose-spec\/compose-go\/v2 v2\.16\.2, source [0-9a-f]{12}$/,
    );
  });
});

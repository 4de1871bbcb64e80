import { chmodSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import process from "node:process";
import { describe, it } from "node:test";
import { assert, assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import { kubernetesValidate } from "./kubernetes_validate.ts";
import { sslyze } from "./sslyze.ts";

/**
 * Stands in for pip. It records each call, with the path from which a build takes its tools, and creates two
 * packages.
 */
const PIP = `#!/bin/sh
[ "$3" = --version ] && exit 0
folder=$(dirname "$0")
echo "PYTHONPATH=$PYTHONPATH $@" >> "$folder/calls"
while [ "$1" != --target ]; do shift; done
mkdir -p "$2/sslyze" "$2/nassl"
`;

function withPip(use: (folder: string) => void): void {
  const folder = mkdtempSync(join(tmpdir(), "python-requirements-test-"));
  const { PATH, PYTHONPATH } = process.env;
  writeFileSync(join(folder, "python3"), PIP);
  chmodSync(join(folder, "python3"), 0o755);
  process.env.PATH = `${folder}${delimiter}${PATH}`;
  delete process.env.PYTHONPATH;
  try {
    use(folder);
  } finally {
    process.env.PATH = PATH;
    if (PYTHONPATH !== undefined) process.env.PYTHONPATH = PYTHONPATH;
    rmSync(folder, { recursive: true, force: true });
  }
}

describe("requirementsPart()", () => {
  it("installs wheels by hash, then builds a package without wheels with tools of the same list", () => {
    withPip((folder) => {
      assert(!sslyze.isInstalled(folder));
      sslyze.install(folder);
      assert(sslyze.isInstalled(folder));
      const [wheels, source, ...others] = readFileSync(join(folder, "calls"), "utf8").trim().split("\n");
      assertEquals(others, []);
      assertMatch(
        wheels!,
        /^PYTHONPATH= .*--require-hashes --only-binary :all: .*tools\/external_tools\/sslyze\.txt$/,
      );
      assertStringIncludes(source!, `PYTHONPATH=${join(folder, "sslyze")} `);
      assertMatch(source!, /--require-hashes --no-binary :all: --no-build-isolation /);
      assertMatch(
        readFileSync(join(folder, "sslyze/pins.txt"), "utf8"),
        /^sslyze==6\.3\.1 --hash=sha256:[0-9a-f]{64}\n$/,
      );
    });
  });

  it("has a version that contains a hash of its list", () => {
    const versions = [sslyze, kubernetesValidate].map(({ version }) => version);
    for (const version of versions) assertMatch(version, /^[0-9.]+, pins [0-9a-f]{12}$/);
    assertEquals(new Set(versions).size, 2);
  });
});

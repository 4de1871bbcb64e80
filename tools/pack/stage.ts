import { existsSync } from "node:fs";
import { chmod, copyFile, readdir, readFile, writeFile } from "node:fs/promises";
import { basename, join, relative } from "node:path";
import process from "node:process";
import { fileURLToPath } from "node:url";
import { buildVersion } from "@gold-partner/command-line";
import { PUBLISHED } from "../check/structure.ts";
import { bundleClient } from "./bundle_client.ts";
import { stagedManifest } from "./manifest.ts";
import { runProgram } from "./program.ts";
import { stageCli } from "./stage_cli.ts";

const ROOT = fileURLToPath(new URL("../..", import.meta.url));
export const TSC = join(ROOT, "node_modules", "typescript", "bin", "tsc");
const SETTINGS = fileURLToPath(new URL("./tsconfig.json", import.meta.url));
const PACKAGES = join(ROOT, "packages");
const TRIES_MAX = 3;
const UNDER_DENO = process.versions["deno"] !== undefined;

/** The package that is published without its siblings, because a partner installs it from one tarball. */
const BUNDLED = "packages/client";

/**
 * Writes each published package into a folder of `out` as npm publishes it: JavaScript, its types and a
 * manifest. The last one is the partner's command line, which has no types.
 */
export async function stagePackages(out: string): Promise<readonly string[]> {
  await compile(out);
  await bundleClient(join(out, basename(BUNDLED)));
  const { engines } = await readManifest(ROOT);
  const packages = await Promise.all(PUBLISHED.map(async (folder) => {
    const source = join(ROOT, folder);
    const staged = join(out, basename(folder));
    const read = await readManifest(source);
    const own = { ...read, version: buildVersion(read.version) };
    const manifest = stagedManifest(folder === BUNDLED ? { ...own, dependencies: undefined } : own, engines);
    await writeFile(join(staged, "package.json"), `${JSON.stringify(manifest, null, 2)}\n`);
    for (const file of ["README.md", "LICENSE"]) await copyFile(join(source, file), join(staged, file));
    await finishFiles(staged);
    return staged;
  }));
  return [...packages, await stageCli(ROOT, out)];
}

/**
 * Compiles only the files that the four entry points import, so that no test is included. Compares the files
 * that TypeScript wrote with those that it read, and runs TypeScript again if some are missing. The reason is
 * that TypeScript 7.0.2, about once in sixty runs on a busy machine, leaves out some files and still exits
 * with 0.
 */
async function compile(out: string): Promise<void> {
  const tsc = [...(UNDER_DENO ? ["run", "-A"] : []), TSC, "-p", SETTINGS, "--outDir", out, "--listFiles"];
  let missing: string[] = [];
  for (let tries = 0; tries < TRIES_MAX; tries++) {
    missing = missingOf(out, await runProgram(process.execPath, tsc, { cwd: ROOT }));
    if (missing.length === 0) return;
  }
  throw new Error(`tsc did not write ${missing.join(", ")}. Run the same command again.`);
}

function missingOf(out: string, listed: string): string[] {
  const sources = listed.split("\n").map((path) => relative(PACKAGES, path))
    .filter((path) => path.endsWith(".ts") && !path.startsWith(".."));
  if (sources.length === 0) throw new Error("tsc --listFiles listed no file of this repository.");
  const wanted = sources.flatMap((path) => [".js", ".d.ts"].map((end) => path.replace(/\.ts$/, end)));
  return wanted.filter((path) => !existsSync(join(out, path)));
}

async function readManifest(folder: string) {
  return JSON.parse(await readFile(join(folder, "package.json"), "utf8"));
}

/**
 * Replaces ".ts" with ".js" in the imports of declarations, because tsc leaves ".ts" there. Sets the mode of
 * each file, because the mode depends on the umask and becomes part of the tarball.
 */
async function finishFiles(folder: string): Promise<void> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  await Promise.all(
    entries.filter((entry) => entry.isFile()).map(async (entry) => {
      const path = join(entry.parentPath, entry.name);
      if (path.endsWith(".d.ts")) {
        const types = await readFile(path, "utf8");
        await writeFile(path, types.replace(/(\bfrom |\bimport\()"(\.[^"]+)\.ts"/g, '$1"$2.js"'));
      }
      await chmod(path, 0o644);
    }),
  );
}

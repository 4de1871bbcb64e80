import { createHash } from "node:crypto";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { runProgram } from "./program.ts";

/** A package as a registry keeps it. */
export interface Tarball {
  readonly path: string;
  readonly manifest: Readonly<Record<string, unknown>> & { readonly name: string; readonly version: string };
  readonly bytes: Uint8Array;
  readonly sha256: string;
}

/**
 * Makes a tarball of each folder in `out`, with npm. npm sets every time in a tarball to one moment in 1985,
 * so equal files give equal bytes.
 */
export async function packFolders(folders: readonly string[], out: string): Promise<readonly Tarball[]> {
  await runProgram("npm", ["pack", "--ignore-scripts", "--silent", "--pack-destination", out, ...folders], {
    cwd: out,
  });
  return await Promise.all(folders.map(async (folder) => {
    const manifest: Tarball["manifest"] = JSON.parse(await readFile(join(folder, "package.json"), "utf8"));
    const name = manifest.name.replace(/^@/, "").replace("/", "-");
    const path = join(out, `${name}-${manifest.version}.tgz`);
    const bytes = await readFile(path);
    return { path, manifest, bytes, sha256: createHash("sha256").update(bytes).digest("hex") };
  }));
}

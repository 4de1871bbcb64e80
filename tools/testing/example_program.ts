import { join } from "node:path";
import { readFile, writeFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";

const ROOT = fileURLToPath(new URL("../..", import.meta.url));
const CLIENT = "@gold-partner/client";
const CLIENT_MODULE = new URL("../../packages/client/src/mod.ts", import.meta.url);

/**
 * Prepares a program that uses the client, and returns the arguments with which this runtime runs it. `file` is
 * the program, and `example` is the file that imports the client. They lie outside the repository, where the
 * client's name does not resolve: on Deno, this function replaces the name in `example`; on Node, it bundles
 * `file`. tsx would take a second of CPU time to load the client's modules.
 */
export async function exampleArguments(file: string, example = file): Promise<string[]> {
  if ("Deno" in globalThis) {
    const code = await readFile(example, "utf8");
    await writeFile(example, code.replace(`"${CLIENT}"`, `"${CLIENT_MODULE.href}"`));
    return ["run", "--allow-all", "--no-check", "--config", join(ROOT, "deno.json"), file];
  }
  const { build } = await import("esbuild");
  const outfile = `${file}.mjs`;
  await build({
    ...{ entryPoints: [file], outfile, alias: { [CLIENT]: fileURLToPath(CLIENT_MODULE) } },
    ...{ bundle: true, platform: "node", format: "esm", sourcemap: "inline", logLevel: "error" },
  });
  return ["--enable-source-maps", outfile];
}

import { copyFile, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { build, type Plugin, stop } from "esbuild";
import { ROOT } from "../test/tier.ts";

/**
 * Leaves out zod's messages in 50 languages, a third of the bundle. The client uses only the English ones.
 */
const englishOnly: Plugin = {
  name: "english-only",
  setup: ({ onLoad }) => onLoad({ filter: /\/zod\/v4\/locales\/index\.js$/ }, () => ({ contents: "" })),
};

/**
 * Turns the client that tsc compiled into a package without dependencies: one JavaScript file, and the types
 * that its entry point reaches.
 */
export async function bundleClient(folder: string): Promise<void> {
  const source = join(folder, "src");
  const types = await reachableTypes(source);
  for (const file of await readdir(source)) {
    if (!types.has(file)) await rm(join(source, file));
  }
  const { outputFiles } = await build({
    ...{ bundle: true, platform: "node", format: "esm", target: "node20.19", write: false },
    absWorkingDir: ROOT,
    entryPoints: ["packages/client/src/mod.ts"],
    plugins: [englishOnly],
  });
  await stop();
  await writeFile(join(source, "mod.js"), outputFiles[0]!.contents);
  // zod's licence requires that every copy of zod includes the licence.
  await copyFile(join(ROOT, "node_modules", "zod", "LICENSE"), join(folder, "LICENSE.zod"));
}

/** Returns the declaration files that mod.d.ts reaches. */
async function reachableTypes(source: string): Promise<ReadonlySet<string>> {
  const found = new Set(["mod.d.ts"]);
  for (const file of found) {
    const text = await readFile(join(source, file), "utf8");
    for (const [, stem] of text.matchAll(/\bfrom "\.\/(\w+)\.ts"/g)) found.add(`${stem}.d.ts`);
  }
  return found;
}

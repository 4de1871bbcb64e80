// node tools/test/bundle.mjs ROOT FOLDER FILE…: bundles each test file of ROOT to the same path in FOLDER, and
// writes FOLDER/imports.json: what each source imports. tsx costs one to two seconds of CPU for each test
// file. Bundling costs a few seconds for all of them.
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import process from "node:process";
import { build, stop } from "esbuild";
import { BUNDLE_SETTINGS, keepPlaces } from "../program.mjs";

/** The packages that are not bundled, because they look for their own files next to their code. */
const EXTERNAL = ["esbuild", "typescript", "playwright-core"];

const [root, folder, ...files] = process.argv.slice(2);
try {
  const { metafile } = await build({
    ...BUNDLE_SETTINGS,
    absWorkingDir: root,
    entryPoints: files,
    outbase: root,
    outdir: folder,
    outExtension: { ".js": ".mjs" },
    splitting: true,
    external: EXTERNAL,
    logLevel: "error",
    metafile: true,
    plugins: [keepPlaces()],
  });
  const imports = Object.entries(metafile.inputs).map((
    [path, input],
  ) => [path, input.imports.map(({ path }) => path)]);
  writeFileSync(join(folder, "imports.json"), JSON.stringify(Object.fromEntries(imports)));
} catch (error) {
  // Print other errors only: esbuild has already printed the errors of a build, with their places.
  if (!error.errors) console.error(error);
  process.exitCode = 1;
}
await stop();

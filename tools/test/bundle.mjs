// node tools/test/bundle.mjs ROOT FOLDER FILE…: makes of each test file of ROOT a bundle at the same path in FOLDER. tsx
// costs each test file one to two seconds of CPU; this costs a few for all of them.
import process from "node:process";
import { BUNDLE_SETTINGS, keepPlaces, loadEsbuild } from "../program.mjs";

/** They look for files of their own beside themselves. */
const EXTERNAL = ["typescript", "playwright-core"];

const [root, folder, ...files] = process.argv.slice(2);
const { build, stop } = loadEsbuild();
try {
  await build({
    ...BUNDLE_SETTINGS,
    absWorkingDir: root,
    entryPoints: files,
    outbase: root,
    outdir: folder,
    outExtension: { ".js": ".mjs" },
    splitting: true,
    external: EXTERNAL,
    logLevel: "error",
    plugins: [keepPlaces()],
  });
} catch (error) {
  // What does not build, esbuild has said itself, with its place.
  if (!error.errors) console.error(error);
  process.exitCode = 1;
}
await stop();

// node tools/program.mjs FILE [arguments]: runs a TypeScript program of packages/ on Node, from one bundle.
// One bundle loads in a quarter of a second. With tsx, loading a thousand modules costs two seconds of CPU,
// because tsx asks another thread about each module. The bundle is kept in node_modules/.cache and rebuilt
// when one of its sources changes. If it cannot be built or kept, tsx runs the file.
import { createHash } from "node:crypto";
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { dirname, join, relative, resolve } from "node:path";
import process from "node:process";
import { fileURLToPath, pathToFileURL } from "node:url";

const ROOT = dirname(dirname(fileURLToPath(import.meta.url)));
/** Part of the cache path, so that two checkouts that share a node_modules do not share a bundle. */
const TREE = createHash("sha256").update(ROOT).digest("hex").slice(0, 12);
const CACHE = join(ROOT, "node_modules", ".cache", "gold", TREE);

/** esbuild settings that all bundles of this repository share. */
export const BUNDLE_SETTINGS = {
  bundle: true,
  platform: "node",
  format: "esm",
  target: "node20.19",
  sourcemap: "linked",
  sourcesContent: false,
  // Define require(): bundled CommonJS code calls it for Node's own modules, and an ES module has none.
  // It has no import declaration, because a source may import the same name.
  banner: {
    js: 'const require = process.getBuiltinModule("node:module").createRequire(import.meta.url);',
  },
  define: { "import.meta.url": "import_meta_url", "import.meta.dirname": "import_meta_dirname" },
};

/**
 * An esbuild plugin that gives each source its own import.meta.url and import.meta.dirname. Without the
 * plugin, every source would see the bundle's path. `beforeRead` is called with the path of each source
 * before it is read.
 */
export function keepPlaces(beforeRead = () => {}) {
  const load = ({ path }) => {
    beforeRead(path);
    const contents = readFileSync(path, "utf8");
    if (!contents.includes("import.meta.")) return { contents, loader: "ts" };
    const [url, folder] = [pathToFileURL(path).href, dirname(path)].map((place) => JSON.stringify(place));
    // Insert the names into the first line, so that all line numbers stay the same.
    const places = `const import_meta_url = ${url}, import_meta_dirname = ${folder}; `;
    return { contents: places + contents, loader: "ts" };
  };
  return { name: "places", setup: ({ onLoad }) => onLoad({ filter: /\.ts$/ }, load) };
}

function sizeAndTime(file) {
  const { size, mtimeMs } = statSync(join(ROOT, file));
  return `${size} ${mtimeMs}`;
}

function isFresh(list) {
  try {
    const sources = Object.entries(JSON.parse(readFileSync(list, "utf8")));
    return sources.every(([file, known]) => sizeAndTime(file) === known);
  } catch {
    return false;
  }
}

async function makeBundle(program, bundle, list) {
  // The size and time of each source. A .ts source is noted before it is read, so that a change during the
  // build makes the bundle stale. Other sources are noted after the build.
  const sources = {};
  const note = (file) => sources[file] ??= sizeAndTime(file);
  // Load esbuild only when a bundle must be built.
  const { build, stop } = await import("esbuild");
  const { outputFiles, metafile } = await build({
    ...BUNDLE_SETTINGS,
    absWorkingDir: ROOT,
    entryPoints: [program],
    outfile: bundle,
    write: false,
    metafile: true,
    logLevel: "silent",
    plugins: [keepPlaces((path) => note(relative(ROOT, path)))],
  });
  await stop();
  mkdirSync(CACHE, { recursive: true });
  // Note these files, too, because they decide how the bundle is built and where an import leads.
  const manifests = readdirSync(join(ROOT, "packages")).map((name) => join("packages", name, "package.json"));
  const beside = ["tools/program.mjs", "package-lock.json", ...manifests].filter((file) =>
    existsSync(join(ROOT, file))
  );
  for (const file of [...Object.keys(metafile.inputs), ...beside]) note(file);
  // Remove the list first and write it last, and rename each complete file into place. So neither a killed
  // run nor a concurrent run leaves a list that declares an incomplete bundle fresh.
  rmSync(list, { force: true });
  for (const { path, text } of [...outputFiles, { path: list, text: JSON.stringify(sources) }]) {
    writeFileSync(`${path}.${process.pid}`, text);
    renameSync(`${path}.${process.pid}`, path);
  }
}

async function findBundle(program) {
  const bundle = join(CACHE, relative(ROOT, program).replaceAll(/[\\/]/g, "_").replace(/\.ts$/, ".mjs"));
  const list = `${bundle}.json`;
  try {
    if (!isFresh(list)) await makeBundle(program, bundle, list);
    return bundle;
  } catch {
    (await import("tsx/esm/api")).register();
    return program;
  }
}

// Skipped when tools/test/bundle.mjs imports this file for its settings.
if (realpathSync(process.argv[1]) === fileURLToPath(import.meta.url)) {
  const program = resolve(process.argv[2]);
  const found = await findBundle(program);
  process.argv.splice(1, 2, program);
  // Adds this file to execArgv, so that a program that starts itself again also goes through this file.
  process.execArgv = [...process.execArgv, fileURLToPath(import.meta.url)];
  process.setSourceMapsEnabled(true);
  await import(pathToFileURL(found).href);
}

// node tools/program.mjs FILE [arguments]: runs a TypeScript program of packages/ on Node. tsx asks another thread about
// each of a thousand modules, which costs two seconds of CPU; one bundle of them loads in a quarter of one. It is kept in
// node_modules/.cache, and made anew when one of its sources is another. Where it cannot be made or kept, tsx runs the file.
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
import { createRequire } from "node:module";
import { dirname, join, relative, resolve } from "node:path";
import process from "node:process";
import { fileURLToPath, pathToFileURL } from "node:url";

const ROOT = dirname(dirname(fileURLToPath(import.meta.url)));
/** Trees that share a node_modules share no bundle. */
const TREE = createHash("sha256").update(ROOT).digest("hex").slice(0, 12);
const CACHE = join(ROOT, "node_modules", ".cache", "gold", TREE);

/** What all bundles of this repository have in common. */
export const BUNDLE_SETTINGS = {
  bundle: true,
  platform: "node",
  format: "esm",
  target: "node20.19",
  sourcemap: "linked",
  sourcesContent: false,
  // What came as CommonJS asks for Node's own modules by require().
  banner: {
    js: 'import { createRequire } from "node:module"; const require = createRequire(import.meta.url);',
  },
  define: { "import.meta.url": "import_meta_url", "import.meta.dirname": "import_meta_dirname" },
};

/** In a bundle each source would take the bundle's place for its own. `beforeRead` hears of each. */
export function keepPlaces(beforeRead = () => {}) {
  const load = ({ path }) => {
    beforeRead(path);
    const contents = readFileSync(path, "utf8");
    if (!contents.includes("import.meta.")) return { contents, loader: "ts" };
    const [url, folder] = [pathToFileURL(path).href, dirname(path)].map((place) => JSON.stringify(place));
    // On the first line, so that all lines keep their numbers.
    const places = `const import_meta_url = ${url}, import_meta_dirname = ${folder}; `;
    return { contents: places + contents, loader: "ts" };
  };
  return { name: "places", setup: ({ onLoad }) => onLoad({ filter: /\.ts$/ }, load) };
}

/** The esbuild that tsx brings. */
export function loadEsbuild() {
  return createRequire(fileURLToPath(import.meta.resolve("tsx")))("esbuild");
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
  // What was read, as it was before it was read: a source that changes meanwhile is another one.
  const sources = {};
  const note = (file) => sources[file] ??= sizeAndTime(file);
  const { build, stop } = loadEsbuild();
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
  // Beside the sources: what says how they are bundled, and where an import leads.
  const manifests = readdirSync(join(ROOT, "packages")).map((name) => join("packages", name, "package.json"));
  const beside = ["tools/program.mjs", "package-lock.json", ...manifests].filter((file) =>
    existsSync(join(ROOT, file))
  );
  for (const file of [...Object.keys(metafile.inputs), ...beside]) note(file);
  // The list comes last, and whole: a run that is killed, or another at the same time, leaves no bundle that is half believed.
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

// The tests' bundles are made with these settings, too.
if (realpathSync(process.argv[1]) === fileURLToPath(import.meta.url)) {
  const program = resolve(process.argv[2]);
  const found = await findBundle(program);
  process.argv.splice(1, 2, program);
  // Whoever starts this program again, starts it this way.
  process.execArgv = [...process.execArgv, fileURLToPath(import.meta.url)];
  process.setSourceMapsEnabled(true);
  await import(pathToFileURL(found).href);
}

// npm run site [-- --if-changed]: builds the documentation site into site/dist/www, as static files. The
// generator has a lockfile of its own, so that it costs the service's installation nothing. It is installed
// here when it is missing. --if-changed keeps a site that was built from the same sources.
// Exit: 0 built or kept, 1 the build failed, 2 wrong usage.
import { spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import process from "node:process";
import { fileURLToPath } from "node:url";
import { type SiteFiles, sitePages } from "./pages.ts";

const SITE = fileURLToPath(new URL(".", import.meta.url));
const PAGES = join(SITE, "dist", "pages");
const RESULT = join(SITE, "dist", "www");
/** Holds the digest of the sources of the built site. It is written last. */
const STAMP = join(SITE, "dist", "stamp");
const LOCKFILE = join(SITE, "package-lock.json");
/** npm writes this file last, so a half-finished install does not have it. */
const INSTALLED = join(SITE, "node_modules", ".package-lock.json");
const VITEPRESS = join(
  SITE,
  "node_modules",
  "vitepress",
  "bin",
  "vitepress.js",
);
const INSTALL_MS = 150_000;
const BUILD_MS = 150_000;
const [FAILED, USAGE] = [1, 2];

function run(command: string, args: readonly string[], timeout: number): void {
  const { status, stdout, stderr, error } = spawnSync(command, args, {
    cwd: SITE,
    // VitePress takes a link with another ending for a page.
    env: { ...process.env, VITE_EXTRA_EXTENSIONS: "go,py" },
    encoding: "utf8",
    timeout,
  });
  if (status !== 0) {
    throw new Error(
      `${command} ${args.join(" ")} failed. ${error?.message ?? ""}\n${stdout}${stderr}`,
    );
  }
}

function install(): void {
  if (
    existsSync(INSTALLED) &&
    statSync(INSTALLED).mtimeMs >= statSync(LOCKFILE).mtimeMs
  ) return;
  run("npm", ["ci", "--ignore-scripts", "--no-audit", "--no-fund"], INSTALL_MS);
}

/** The digest of everything that the site is built from. */
function digestOf(pages: SiteFiles): string {
  const digest = createHash("sha256").update(readFileSync(LOCKFILE));
  const configuration = join(SITE, ".vitepress");
  for (
    const name of readdirSync(configuration, {
      recursive: true,
      encoding: "utf8",
    }).sort()
  ) {
    const path = join(configuration, name);
    if (statSync(path).isFile()) digest.update(readFileSync(path));
  }
  for (const [path, text] of pages) digest.update(JSON.stringify([path, text]));
  return digest.digest("hex");
}

function writePages(pages: SiteFiles): void {
  rmSync(PAGES, { recursive: true, force: true });
  for (const [path, text] of pages) {
    const file = join(PAGES, path);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, text);
  }
}

function build(ifChanged: boolean): void {
  const pages = sitePages();
  const digest = digestOf(pages);
  if (
    ifChanged && existsSync(STAMP) && readFileSync(STAMP, "utf8") === digest
  ) {
    console.log(`The site in ${RESULT} is up to date.`);
    return;
  }
  rmSync(STAMP, { force: true });
  install();
  writePages(pages);
  const runtime = "Deno" in globalThis ? ["run", "--allow-all"] : [];
  run(process.execPath, [...runtime, VITEPRESS, "build", "."], BUILD_MS);
  writeFileSync(STAMP, digest);
  console.log(`The site was built in ${RESULT}.`);
}

const args = process.argv.slice(2);
const ifChanged = args[0] === "--if-changed";
if (args.length > (ifChanged ? 1 : 0)) {
  console.error("Usage: npm run site [-- --if-changed]");
  process.exit(USAGE);
}
try {
  build(ifChanged);
} catch (error) {
  console.error((error as Error).message);
  process.exitCode = FAILED;
}

// npm run site [-- --if-changed]: builds the documentation site into site/dist/www, as static files. The
// generator, VitePress, has a lockfile of its own, so that npm ci of the service does not install it. This
// program installs it when it is missing. --if-changed keeps a site that was built from the same sources.
// Exit: 0 built or kept, 1 the build failed, 2 wrong usage.
import { type ChildProcess, spawn } from "node:child_process";
import { createHash } from "node:crypto";
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";
import process from "node:process";
import { fileURLToPath } from "node:url";
import { EXAMPLE_ENDINGS } from "./guides.ts";
import { type SiteFiles, sitePages } from "./pages.ts";

const SITE = fileURLToPath(new URL(".", import.meta.url));
const PAGES = join(SITE, "dist", "pages");
/** VitePress writes here. Only a complete site becomes RESULT. */
const FRESH = join(SITE, "dist", "fresh");
const RESULT = join(SITE, "dist", "www");
/** Holds the digest of the sources of the built site. It is written last. */
const STAMP = join(SITE, "dist", "stamp");
/** Holds the pid of a running build. Two builds would overwrite each other's files. */
const LOCK = join(SITE, "dist", "lock");
const LOCKFILE = join(SITE, "package-lock.json");
/** npm writes this file last, so a half-finished install does not have it. */
const INSTALLED = join(SITE, "node_modules", ".package-lock.json");
const VITEPRESS = join(SITE, "node_modules", "vitepress", "bin", "vitepress.js");
const [FAILED, USAGE] = [1, 2];

let running: ChildProcess | undefined;
let locked = false;

/** Ends this program and the processes that it started. */
function end(code: number): never {
  // npm and VitePress start processes of their own, so the whole group is ended.
  if (running?.pid && running.exitCode === null) process.kill(-running.pid, "SIGTERM");
  if (locked) rmSync(LOCK, { force: true });
  process.exit(code);
}

async function run(command: string, args: readonly string[]): Promise<void> {
  const child = running = spawn(command, args, {
    cwd: SITE,
    detached: true,
    // Without this setting, VitePress treats a link to an example program as a link to a page.
    env: { ...process.env, VITE_EXTRA_EXTENSIONS: EXAMPLE_ENDINGS.join(",") },
    stdio: ["ignore", "pipe", "pipe"],
  });
  let report = "";
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding("utf8").on("data", (text: string) => report += text);
  }
  const code = await new Promise((resolve, reject) => child.once("close", resolve).once("error", reject));
  if (code !== 0) throw new Error(`${command} ${args.join(" ")} failed (exit ${code}).\n${report}`);
}

async function install(): Promise<void> {
  if (existsSync(INSTALLED) && statSync(INSTALLED).mtimeMs >= statSync(LOCKFILE).mtimeMs) return;
  await run("npm", ["ci", "--ignore-scripts", "--no-audit", "--no-fund"]);
}

/** The digest of everything that the site is built from. */
function digestOf(pages: SiteFiles): string {
  const digest = createHash("sha256").update(readFileSync(LOCKFILE));
  const configuration = [".vitepress", join(".vitepress", "theme")].flatMap((folder) =>
    readdirSync(join(SITE, folder), { withFileTypes: true }).filter((entry) => entry.isFile())
      .map(({ name }) => join(SITE, folder, name))
  );
  for (const file of configuration.sort()) digest.update(readFileSync(file));
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

function lock(): void {
  mkdirSync(dirname(LOCK), { recursive: true });
  const holder = existsSync(LOCK) ? Number(readFileSync(LOCK, "utf8")) : 0;
  if (holder > 0 && isAlive(holder)) throw new Error(`Process ${holder} is building the site.`);
  writeFileSync(LOCK, `${process.pid}`);
  locked = true;
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === "EPERM";
  }
}

async function build(ifChanged: boolean): Promise<void> {
  const pages = sitePages();
  const digest = digestOf(pages);
  if (ifChanged && existsSync(STAMP) && readFileSync(STAMP, "utf8") === digest) {
    console.log(`The site in ${RESULT} is up to date.`);
    return;
  }
  lock();
  await install();
  writePages(pages);
  const runtime = "Deno" in globalThis
    ? ["run", "--allow-all", "--no-config", "--node-modules-dir=manual"]
    : [];
  await run(process.execPath, [...runtime, VITEPRESS, "build", "."]);
  rmSync(STAMP, { force: true });
  rmSync(RESULT, { recursive: true, force: true });
  renameSync(FRESH, RESULT);
  writeFileSync(STAMP, digest);
  console.log(`The site was built in ${RESULT}.`);
}

const args = process.argv.slice(2);
const ifChanged = args[0] === "--if-changed";
if (args.length > (ifChanged ? 1 : 0)) {
  console.error("Usage: npm run site [-- --if-changed]");
  process.exit(USAGE);
}
for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) process.on(signal, () => end(FAILED));
// npm start holds the other end of this pipe. It closes when npm start ends, even by SIGKILL.
if (process.env.STOP_WITH_STDIN) process.stdin.on("end", () => end(FAILED)).resume();
try {
  await build(ifChanged);
  end(0);
} catch (error) {
  console.error((error as Error).message);
  end(FAILED);
}

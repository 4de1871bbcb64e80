// Checks out the tree of another commit, ready to run. An upgrade test starts the last release from it, and a
// comparison starts both versions.
import { execFile, execFileSync } from "node:child_process";
import { copyFile, mkdir, mkdtemp, readdir, readFile, symlink } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join, relative } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { removeFolder } from "@gold-partner/dev/postgres";
import { resolveCommit } from "./history.ts";

export interface Checkout {
  readonly root: string;
  /** The full hash. */
  readonly commit: string;
  remove(): Promise<void>;
}

/** Keyed by the place of each package, such as `node_modules/zod`. */
type Lockfile = Readonly<
  Record<string, { readonly version?: string; readonly resolved?: string; readonly link?: true }>
>;

const ROOT = fileURLToPath(new URL("../../..", import.meta.url));
const INSTALLED = "node_modules/.package-lock.json";
/** Entries that are not linked. `.cache` holds bundles, and the checkout builds its own. */
const NOT_LINKED = [".cache", ".package-lock.json"];
const ARCHIVE_BYTES_MAX = 2 ** 30;
const run = promisify(execFile);

/** Writes the tree of `commit` into a temporary folder, with its dependencies installed. */
export async function checkOut(commit: string): Promise<Checkout> {
  const hash = resolveCommit(commit);
  const root = await mkdtemp(join(tmpdir(), `gold-${hash.slice(0, 7)}-`));
  try {
    const archive = execFileSync("git", ["archive", hash], { cwd: ROOT, maxBuffer: ARCHIVE_BYTES_MAX });
    execFileSync("tar", ["-x", "-C", root], { input: archive });
    await installDependencies(root);
    return { root, commit: hash, remove: () => removeFolder(root) };
  } catch (error) {
    await removeFolder(root);
    throw error;
  }
}

/**
 * Links the packages that are installed in this tree. If the lockfiles name different packages, npm installs
 * them instead.
 */
async function installDependencies(root: string): Promise<void> {
  const [ours, theirs] = await Promise.all([readLockfile(ROOT), readLockfile(root)]);
  if (describeRemote(ours) !== describeRemote(theirs)) {
    await run("npm", ["ci", "--include=dev", "--loglevel=error"], { cwd: root });
    return;
  }
  const siblings = Object.entries(theirs).flatMap(([place, { link, resolved }]) =>
    link ? [[join(root, place), join(root, resolved!)] as const] : []
  );
  const linkedLater = new Set(
    siblings.map(([place]) => relative(join(root, "node_modules"), place).split("/")[0]!),
  );
  await mkdir(join(root, "node_modules"));
  for (const name of await readdir(join(ROOT, "node_modules"))) {
    if (linkedLater.has(name) || NOT_LINKED.includes(name)) continue;
    await symlink(join(ROOT, "node_modules", name), join(root, "node_modules", name));
  }
  // Link the checkout's own workspace packages, not this tree's.
  for (const [place, target] of siblings) {
    await mkdir(dirname(place), { recursive: true });
    await symlink(target, place);
  }
  // Copy the file with its time, because tools/run.mjs compares that time to see whether the dependencies are
  // installed.
  await copyFile(join(ROOT, INSTALLED), join(root, INSTALLED));
}

async function readLockfile(root: string): Promise<Lockfile> {
  return JSON.parse(await readFile(join(root, "package-lock.json"), "utf8")).packages;
}

/** Every package that comes from a registry, with its place and version. */
function describeRemote(lockfile: Lockfile): string {
  return Object.entries(lockfile)
    .filter(([place, { link }]) => place.includes("node_modules/") && !link)
    .map(([place, { version }]) => `${place}@${version}`).sort().join();
}

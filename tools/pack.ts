// npm run pack [-- FOLDER]: stages the published packages and makes the tarballs that npm publishes.
// Without FOLDER it empties dist/, which git ignores, and writes there. FOLDER must be empty. It prints lines
// for sha256sum --check.
// Exit: 0 done, 1 a package does not compile or npm refuses it, 2 wrong usage.
import { mkdir, readdir, rm } from "node:fs/promises";
import { relative, resolve } from "node:path";
import process from "node:process";
import { fileURLToPath } from "node:url";
import { stagePackages } from "./pack/stage.ts";
import { packFolders } from "./pack/tarball.ts";

const DIST = fileURLToPath(new URL("../dist", import.meta.url));
const [FAILED, USAGE] = [1, 2];

async function run([folder, ...more]: readonly string[]): Promise<number> {
  if (more.length > 0 || folder?.startsWith("-")) {
    console.error("Usage: npm run pack [-- FOLDER]");
    return USAGE;
  }
  const out = folder === undefined ? DIST : resolve(folder);
  try {
    if (out === DIST) await rm(out, { recursive: true, force: true });
    await mkdir(out, { recursive: true });
    if ((await readdir(out)).length > 0) {
      console.error(`${folder} is not empty. Name a new or an empty folder.`);
      return USAGE;
    }
    for (const { path, sha256 } of await packFolders(await stagePackages(out), out)) {
      console.log(`${sha256}  ${relative(process.cwd(), path)}`);
    }
    return 0;
  } catch (error) {
    console.error((error as Error).message);
    return FAILED;
  }
}

process.exitCode = await run(process.argv.slice(2));

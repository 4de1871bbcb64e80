import {
  cpSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readlinkSync,
  realpathSync,
  rmSync,
  symlinkSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";

/**
 * Everything that the tests read and run: the packages, the vectors, the pages, the tools, and the workspace's
 * configuration.
 */
const COPIED = [
  "packages",
  "tools",
  "vectors",
  "docs",
  "package.json",
  "deno.json",
  "tsconfig.json",
];
const LEFT_OUT = ["node_modules", "dist"];
/** The folder that is not linked, because it is made from the original sources. */
const CACHE = ".cache";

/** A copy of the working tree, in which sources may be broken. */
export class WorkingCopy {
  readonly root: string;

  constructor() {
    this.root = mkdtempSync(join(realpathSync(tmpdir()), "gold-mutation-tests-"));
  }

  fill(tree: string): void {
    for (const name of COPIED) {
      cpSync(join(tree, name), join(this.root, name), {
        recursive: true,
        filter: (path) => !LEFT_OUT.includes(basename(path)),
      });
    }
    linkModules(join(tree, "node_modules"), join(this.root, "node_modules"));
  }

  remove(): void {
    rmSync(this.root, { recursive: true, force: true, maxRetries: 5 });
  }
}

/**
 * Links the installed packages of the original tree. The links of the workspace's own packages are relative,
 * so they lead to the copied packages.
 */
function linkModules(from: string, to: string): void {
  mkdirSync(to);
  for (const entry of readdirSync(from, { withFileTypes: true })) {
    const [source, target] = [join(from, entry.name), join(to, entry.name)];
    if (entry.isSymbolicLink()) symlinkSync(readlinkSync(source), target);
    else if (entry.name.startsWith("@")) linkModules(source, target);
    else if (entry.name !== CACHE) symlinkSync(source, target);
  }
}

import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { type Module, moduleOf } from "./module.ts";
import { parseFiles } from "./syntax.ts";

/** The project's text files by their path from the root, with "/" between folders. */
export interface Tree {
  readonly files: ReadonlyMap<string, string>;
  readonly modules: ReadonlyMap<string, Module>;
}

/** Files and folders that git ignores, and others that no check reads. */
const LEFT_OUT = new Set(["node_modules", "dist", "target", ".git", ".gold", ".tools", ".DS_Store"]);
/**
 * VitePress loads these files with the packages of site/package.json. No module of this project imports them.
 */
const GENERATOR = "site/.vitepress/";
const BINARY = /\.(png|ico|woff2?|pem\.enc|zip|gz|log)$/;

export function listFiles(root: string, folder = ""): string[] {
  return readdirSync(join(root, folder), { withFileTypes: true })
    .filter((entry) => !LEFT_OUT.has(entry.name) && !BINARY.test(entry.name))
    .sort((a, b) => a.name < b.name ? -1 : 1)
    .flatMap((entry) => {
      const path = folder === "" ? entry.name : `${folder}/${entry.name}`;
      if (entry.isDirectory()) return listFiles(root, path);
      return entry.isFile() ? [path] : [];
    });
}

export function readTree(root: string): Promise<Tree> {
  return treeOf(new Map(listFiles(root).map((path) => [path, readFileSync(join(root, path), "utf8")])));
}

export async function treeOf(files: ReadonlyMap<string, string>): Promise<Tree> {
  const sources = new Map(
    [...files].filter(([path]) => /\.(ts|mjs|js)$/.test(path) && !path.startsWith(GENERATOR)),
  );
  const modules = new Map<string, Module>();
  for (const [path, syntax] of await parseFiles(sources)) modules.set(path, moduleOf(path, syntax));
  return { files, modules };
}

/**
 * True for a test, and for a file that only tests use: a file in `e2e/` or in a folder `testing/`, or with a
 * name that is `fixture.ts` or ends in `_fixture.ts`.
 */
export function isTest(path: string): boolean {
  return path.endsWith(".test.ts") || /^e2e\/|(?:^|\/)testing\/|(?:^|[/_])fixture\.ts$/.test(path);
}

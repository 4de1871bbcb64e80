import { packageFolders, PUBLISHED, targetOf } from "./structure.ts";
import { isRunByK6 } from "./k6_closure.ts";
import type { Module } from "./module.ts";
import type { Violation } from "./violation.ts";
import { isTest, type Tree } from "./tree.ts";

/**
 * Files whose exports are used without an import in this repository: by users of a published package, by a
 * program that loads all files of a folder, by node:test or by drizzle-kit.
 */
const USED_WITHOUT_IMPORT = [
  ...PUBLISHED.map((folder) => new RegExp(`^${folder}/src/mod\\.ts$`)),
  /^vectors\/make\//,
  // Imported by the name of the package for which it stands in.
  /^tools\/std_assert\//,
  /^tools\/bench\/[^/]+\.bench\.ts$/,
  /^tools\/test\/node_report\.mjs$/,
  // drizzle-kit reads its settings and the tables from here.
  /^drizzle\.config\.ts$/,
  /^packages\/server\/src\/database\/schema\//,
];

/** Exports of a script that k6 calls or reads by name. */
const K6_CALLS = new Set(["default", "options", "setup", "teardown", "handleSummary"]);

/** Finds exported names that no other file imports. An import in a test counts as use. */
export function findDeadExports(tree: Tree): Violation[] {
  const used = usedNames(tree);
  const violations: Violation[] = [];
  for (const module of tree.modules.values()) {
    const { path, exports } = module;
    if (isTest(path) || isUsedWithoutImport(path)) continue;
    const names = used.get(path) ?? new Set();
    const k6 = isRunByK6(module);
    for (const { name, line } of exports) {
      if (names.has(name) || names.has("*") || (k6 && K6_CALLS.has(name))) continue;
      violations.push({
        path,
        line,
        says: `exports ${name}, which no file imports: remove the export or the code.`,
      });
    }
  }
  return violations;
}

function usedNames(tree: Tree): Map<string, Set<string>> {
  const folders = packageFolders(tree);
  const used = new Map<string, Set<string>>();
  const use = (path: string, names: readonly string[], seen: readonly string[] = []): void => {
    const target = tree.modules.get(path);
    if (!target || seen.includes(path)) return;
    const known = used.get(path) ?? new Set();
    used.set(path, known);
    for (const name of names) known.add(name);
    // Count the name as used in the file that declares it, too, if the target re-exports it with `export *`.
    for (const passed of passedOn(target)) use(passed, names, [...seen, path]);
  };
  const passedOn = (module: Module): string[] =>
    module.starsFrom.flatMap((specifier) => targetOf(module.path, specifier, folders) ?? []);

  for (const module of tree.modules.values()) {
    for (const { specifier, names } of module.imports) {
      const star = module.starsFrom.includes(specifier) && !isUsedWithoutImport(module.path);
      const target = targetOf(module.path, specifier, folders);
      if (target && !star) use(target, names);
    }
  }
  return used;
}

function isUsedWithoutImport(path: string): boolean {
  return USED_WITHOUT_IMPORT.some((pattern) => pattern.test(path));
}

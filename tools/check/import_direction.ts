import { posix } from "node:path";
import { isIdentifier } from "typescript/unstable/ast";
import {
  FLOW,
  isRelative,
  MODULES,
  packageFolders,
  packageName,
  partOf,
  POSTGRES,
  targetOf,
} from "./structure.ts";
import { isRunByK6 } from "./k6_closure.ts";
import type { Import, Module } from "./module.ts";
import type { Violation } from "./violation.ts";
import { lineOf, walk } from "./syntax.ts";
import { isTest, type Tree } from "./tree.ts";

/** Requires that imports go one way between packages, and between the folders of the server. */
export function findImportsAgainstTheFlow(tree: Tree): Violation[] {
  const folders = packageFolders(tree);
  const violations: Violation[] = [];
  for (const module of tree.modules.values()) {
    const unlisted = unlistedFolder(module.path);
    if (unlisted !== undefined) {
      const says = `is in ${unlisted}, which is missing in MODULES: add it to tools/check/structure.ts.`;
      violations.push({ path: module.path, line: 1, says });
    }
    for (const taken of module.imports) {
      const says = isRelative(taken.specifier)
        ? checkRelative(module, taken, folders)
        : checkByName(module, taken.specifier, folders);
      if (says) violations.push({ path: module.path, line: taken.line, says });
    }
    violations.push(...findHiddenImports(module));
  }
  return violations;
}

/**
 * The only file that may compute an import, because Postgres comes in a separate package for each platform.
 */
const COMPUTES_ITS_IMPORT = "packages/dev/src/postgres/binaries.ts";

/** Refuses imports that the checks cannot follow: computed names, require and createRequire. */
function findHiddenImports({ path, imports, syntax }: Module): Violation[] {
  if (!path.startsWith("packages/")) return [];
  const violations = imports.filter(({ specifier }) => specifier === "" && path !== COMPUTES_ITS_IMPORT)
    .map(({ line }) => ({
      path,
      line,
      says: "computes the name of an import: write the name as a string literal.",
    }));
  walk(syntax, (node) => {
    if (!isIdentifier(node) || !/^(createRequire|require)$/.test(node.text)) return;
    violations.push({ path, line: lineOf(node, syntax), says: `uses ${node.text}: use import instead.` });
  });
  return violations;
}

/** Programs for development. They may run the fixtures of a package, which never ship. */
const RUNS_FIXTURES: readonly string[] = ["packages/dev", "tools/prove", "tools/bench", "tools"];

function checkByName(
  module: Module,
  specifier: string,
  folders: ReadonlyMap<string, string>,
): string | undefined {
  const name = packageName(specifier);
  const folder = folders.get(name);
  if (!folder) return undefined;
  const from = partOf(module.path) ?? "";
  const isTesting = isTest(module.path) || RUNS_FIXTURES.includes(from);
  if ([`${name}/testing`, POSTGRES].includes(specifier) && from !== folder) {
    return isTesting
      ? undefined
      : `imports ${specifier}, which only tests and development programs may import.`;
  }
  if (specifier !== name) return `imports ${specifier}: import ${name}, the package's only entry point.`;
  if (from === folder) return `imports its own package by name: import the file by its relative path.`;
  const allowed = FLOW[from];
  if (!allowed) {
    return `is in ${from || "the root"}, which is missing in FLOW: add it to tools/check/structure.ts.`;
  }
  if (allowed.includes(folder)) return undefined;
  return `imports ${name} against the import direction: ${from} may import ${
    allowed.join(", ") || "nothing"
  }.`;
}

function checkRelative(
  module: Module,
  taken: Import,
  folders: ReadonlyMap<string, string>,
): string | undefined {
  const target = targetOf(module.path, taken.specifier, folders) ?? "";
  const [from, to] = [partOf(module.path), partOf(target)];
  if (from === to) return checkSteps(module.path, target);
  const allowed = FLOW[from ?? ""]?.includes(to ?? "") ?? false;
  const byPath = !to?.startsWith("packages/") || isRunByK6(module);
  // Allow a test to import from vectors/ and the shared helpers in tools/testing/.
  if ((allowed && byPath) || (isTest(module.path) && ["vectors", "tools/testing"].includes(to ?? ""))) {
    return undefined;
  }
  if (allowed) return `imports ${taken.specifier}, a path out of ${from}: import ${to} by its package name.`;
  return `imports ${taken.specifier} against the import direction: ${from ?? "the root"} may not import ${
    to ?? "the root"
  }.`;
}

function checkSteps(path: string, target: string): string | undefined {
  if (isTest(path)) return undefined;
  const [from, to] = [placeOf(path), placeOf(target)];
  if (!from || !to) return undefined;
  const later = to.module > from.module ||
    (to.module === from.module && to.step > from.step && from.step >= 0);
  return later ? `imports ${target}, a later step: a step may import only earlier steps.` : undefined;
}

/** Returns a folder of the server that MODULES does not list. */
function unlistedFolder(path: string): string | undefined {
  const [, module, step] = FOLDERS.exec(path) ?? [];
  if (module === undefined) return undefined;
  const steps = MODULES.find(([name]) => name === module);
  return !steps || (step !== undefined && !steps.includes(step)) ? posix.dirname(path) : undefined;
}

const FOLDERS = /^packages\/server\/src\/([^/]+)\/(?:([^/]+)\/)?/;

/**
 * Returns the position of a server file in MODULES, where a module is a folder of the server and a step is a
 * subfolder. For a file directly in its module's folder, the step is negative, because such a file may import
 * every step of its module.
 */
function placeOf(path: string): { module: number; step: number } | undefined {
  const [, moduleName, stepName = ""] = FOLDERS.exec(path) ?? [];
  const module = MODULES.findIndex(([name]) => name === moduleName);
  return module < 0 ? undefined : { module, step: (MODULES[module]?.indexOf(stepName) ?? 0) - 1 };
}

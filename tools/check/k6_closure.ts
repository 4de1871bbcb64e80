import type { Node } from "typescript/unstable/ast";
import {
  isElementAccessExpression,
  isForOfStatement,
  isIdentifier,
  isPropertyAccessExpression,
  isStringLiteral,
  isTypeNode,
  NodeFlags,
  SyntaxKind,
} from "typescript/unstable/ast";
import { isRelative, packageFolders, targetOf } from "./structure.ts";
import type { Module } from "./module.ts";
import type { Violation } from "./violation.ts";
import { lineOf, walk } from "./syntax.ts";
import { isTest, type Tree } from "./tree.ts";

/** Files that k6 must be able to load, even if no script imports them today. */
const LOADABLE = [
  /^packages\/canonical\/src\//,
  /^packages\/jws\/src\//,
  /^packages\/protocol\/src\/request\//,
];

// Globals of Node or Deno that k6 1.8.1 lacks, found by running k6.
const MISSING_GLOBALS = new Set([
  ...["TextEncoder", "TextDecoder", "btoa", "atob", "URL", "URLSearchParams", "Buffer", "structuredClone"],
  ...["process", "Deno", "setImmediate", "queueMicrotask", "performance", "AbortController", "fetch"],
  ...["Intl", "Iterator", "WeakRef", "FinalizationRegistry", "SharedArrayBuffer", "Atomics"],
]);

/**
 * Methods that k6 lacks. They are refused on every object, because this check does not know the type of an
 * object.
 */
const MISSING_MEMBERS = new Set([
  ...["groupBy", "withResolvers", "fromAsync", "isWellFormed", "toWellFormed", "toLocaleString"],
  ...["union", "intersection", "difference", "symmetricDifference"],
  ...["isSubsetOf", "isSupersetOf", "isDisjointFrom"],
  ...["toHex", "fromHex", "setFromHex", "toBase64", "fromBase64", "setFromBase64"],
]);

const MISSING_SYNTAX: ReadonlyMap<SyntaxKind, string> = new Map([
  [SyntaxKind.Decorator, "a decorator"],
  [SyntaxKind.ImportAttributes, "import attributes"],
  [SyntaxKind.AccessorKeyword, "an accessor field"],
]);

const MISSING_IN_PATTERNS: readonly (readonly [RegExp, string])[] = [
  [/\\[pP]\{/, "\\p{…} in a regular expression (it silently never matches)"],
  [/\/[a-z]*[dv][a-z]*$/, "the regular expression flag d or v"],
  [/\(\?(?:[a-z]+(?:-[a-z]*)?|-[a-z]+):/, "a modifier inside a regular expression"],
];

const isK6Module = (specifier: string): boolean => /^k6(\/|$)/.test(specifier);

/** A load test, or a script that imports k6's own modules. */
export function isRunByK6(module: Module): boolean {
  if (isTest(module.path)) return false;
  return module.path.startsWith("loadtest/") || module.imports.some(({ specifier }) => isK6Module(specifier));
}

/** Returns every file that k6 loads at run time or must be able to load, sorted. */
export function k6Closure(tree: Tree): string[] {
  const folders = packageFolders(tree);
  const closure = new Set<string>();
  const load = (path: string): void => {
    const module = tree.modules.get(path);
    if (!module || closure.has(path)) return;
    closure.add(path);
    for (const { specifier, kind } of module.imports) {
      if (kind !== "type") load(targetOf(path, specifier, folders) ?? "");
    }
  };
  for (const module of tree.modules.values()) {
    const loadable = LOADABLE.some((pattern) => pattern.test(module.path)) && !isTest(module.path);
    if (loadable || isRunByK6(module)) load(module.path);
  }
  return [...closure].sort();
}

/**
 * Finds code that k6 cannot load. k6 does not resolve packages, lacks some globals and methods of Node and
 * Deno, and hangs on syntax that it cannot parse.
 */
export function findWhatK6CannotLoad(tree: Tree): Violation[] {
  return k6Closure(tree).flatMap((path) => {
    const module = tree.modules.get(path);
    return module ? [...checkImports(module), ...checkSyntax(module)] : [];
  });
}

function checkImports(module: Module): Violation[] {
  return module.imports.flatMap(({ specifier, kind, line }) => {
    const at = { path: module.path, line };
    if (kind === "type") return [];
    if (kind === "dynamic") {
      return [{
        ...at,
        says: "uses import(), but k6 loads files before it starts: import at the top of the file.",
      }];
    }
    if (isRelative(specifier) && specifier.endsWith(".ts")) return [];
    if (isK6Module(specifier) && isRunByK6(module)) return [];
    const says =
      `imports ${specifier}, which k6 cannot resolve: pass it as an argument, or import only its types.`;
    return [{ ...at, says }];
  });
}

function checkSyntax({ path, syntax }: Module): Violation[] {
  const violations: Violation[] = [];
  walk(syntax, (node) => {
    if (isTypeNode(node)) return false;
    const what = missingInK6(node);
    if (what) {
      violations.push({
        path,
        line: lineOf(node, syntax),
        says: `uses ${what}, which is not allowed in code that k6 loads.`,
      });
    }
    return true;
  });
  return violations;
}

function missingInK6(node: Node): string | undefined {
  if (isIdentifier(node)) {
    return MISSING_GLOBALS.has(node.text) && !isMemberName(node) ? node.text : undefined;
  }
  if (isPropertyAccessExpression(node)) return missingMember(node.expression, node.name.text);
  if (isElementAccessExpression(node)) {
    const name = node.argumentExpression;
    return missingMember(node.expression, isStringLiteral(name) ? name.text : undefined);
  }
  if (isForOfStatement(node) && node.awaitModifier) return "`for await`";
  if (isAsyncGenerator(node)) return "an async generator";
  if (node.kind === SyntaxKind.VariableDeclarationList && node.flags & NodeFlags.Using) return "`using`";
  if (node.kind !== SyntaxKind.RegularExpressionLiteral) return MISSING_SYNTAX.get(node.kind);
  return MISSING_IN_PATTERNS.find(([pattern]) => pattern.test(node.getText()))?.[1];
}

/** `name` is undefined if it is computed. */
function missingMember(object: Node, name: string | undefined): string | undefined {
  const onGlobal = isIdentifier(object) && object.text === "globalThis";
  if (name === undefined) return onGlobal ? "globalThis with a computed name" : undefined;
  return MISSING_MEMBERS.has(name) || (onGlobal && MISSING_GLOBALS.has(name)) ? name : undefined;
}

function isAsyncGenerator(node: Node): boolean {
  const { asteriskToken, modifiers } = node as Node & { asteriskToken?: Node; modifiers?: readonly Node[] };
  return asteriskToken !== undefined &&
    (modifiers?.some(({ kind }) => kind === SyntaxKind.AsyncKeyword) ?? false);
}

/** True if the identifier only names a property, such as `URL` in `parts.URL` or in `{ URL: … }`. */
function isMemberName(node: Node): boolean {
  const { parent } = node;
  if (isPropertyAccessExpression(parent)) return parent.name === node;
  return parent.kind === SyntaxKind.PropertyAssignment && (parent as Node & { name: Node }).name === node;
}

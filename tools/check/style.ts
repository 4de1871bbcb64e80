import { posix } from "node:path";
import { isRelative, partOf } from "./structure.ts";
import type { Violation } from "./violation.ts";
import type { Tree } from "./tree.ts";

/** Names that do not say what a file or a folder contains. */
const VAGUE_NAMES = new Set(["utils", "util", "helpers", "helper", "common", "shared", "misc"]);
const LONG_FILE_LINES = 250;
const SEED = "/testing/seed.ts";
const UNSEEDED =
  "imports fast-check without a seed: call seedTests(import.meta.url) from tools/testing/seed.ts, so that a failure can be repeated.";

/**
 * Files with text from outside this project. npm writes the lockfile, and a hash in it may contain any
 * letters.
 */
const NOT_PROSE = /(^|\/)(package-lock\.json|LICENSE)$/;
const LICENCE = /(^|\/)LICENSE$/;

/** Texts that no file may contain. The patterns are written so that they do not match this file. */
const FOREIGN_TEXT: readonly (readonly [pattern: RegExp, exempt: RegExp, says: string])[] = [
  [
    /\b(TO[D]O|FIX[M]E|XX[X])\b/,
    NOT_PROSE,
    "has a note about unfinished work: finish it, or open an issue",
  ],
  [
    /(^|[\s"'`(=:])\/(work|root|home\/[a-z]|Users\/[A-Za-z]|tmp\/[a-z])/m,
    NOT_PROSE,
    "contains an absolute path of one machine: write a relative path",
  ],
  [
    /https?:\/\/(registry|npm)\.|\b(npmjs\.(com|org)|yarnpkg\.com|(proxy|sum)\.golang\.org|jsr\.io|crates\.io|pypi\.org|pythonhosted\.org)\b/,
    LICENCE,
    "names the host of a package registry: remove it, because the registry is configured outside the repository",
  ],
  [
    /import \{[^}]*\braw\b[^}]*\} from "hono\/html"/,
    /^(?!packages\/operator\/)/,
    "imports raw() of hono/html, which writes text into a page as markup: write the markup with html``",
  ],
];

/** Checks file names, forbidden texts, decision numbers, import extensions and the seeds of random tests. */
export function findStyleViolations(tree: Tree): Violation[] {
  const violations: Violation[] = [];
  for (const [path, text] of tree.files) {
    const says = checkName(path);
    if (says) violations.push({ path, says });
    for (const [pattern, exempt, foreign] of FOREIGN_TEXT) {
      const match = exempt.test(path) ? null : pattern.exec(text);
      if (match) {
        violations.push({
          path,
          line: text.slice(0, match.index + 1).split("\n").length,
          says: `${foreign}.`,
        });
      }
    }
  }
  const decisions = new Map<string, string>();
  for (const path of tree.files.keys()) {
    const number = /^docs\/decisions\/(\d{4})-/.exec(path)?.[1];
    if (number === undefined) continue;
    const first = decisions.get(number);
    if (first) violations.push({ path, says: `has the same number as ${first}: use the next free number.` });
    else decisions.set(number, path);
  }
  for (const { path, imports } of tree.modules.values()) {
    const random = imports.find(({ specifier }) => specifier === "fast-check");
    if (
      random && partOf(path) !== "tools/testing" && !imports.some(({ specifier }) => specifier.endsWith(SEED))
    ) {
      violations.push({ path, line: random.line, says: UNSEEDED });
    }
    for (const { specifier, line } of imports) {
      if (isRelative(specifier) && !/\.(ts|mjs|json)$/.test(specifier)) {
        violations.push({ path, line, says: `imports ${specifier} without its file extension: write .ts.` });
      }
    }
  }
  return violations;
}

function checkName(path: string): string | undefined {
  const vague = posix.dirname(path).split("/").find((folder) => VAGUE_NAMES.has(folder));
  if (vague) return `is in ${vague}, which can hold anything: name the folder after its content.`;
  const stem = posix.basename(path).replace(/(\.[a-z0-9]+)+$/, "");
  if (VAGUE_NAMES.has(stem)) return `is named ${stem}, which does not describe its content.`;
  if (/\.(ts|mjs|sql)$/.test(path) && !/^[a-z0-9_]+$/.test(stem)) return "is not named in snake_case.";
  return undefined;
}

/** Lists long files. A long file is no violation, but perhaps it should be split. */
export function findLongFiles(tree: Tree): Violation[] {
  return [...tree.modules.keys()].flatMap((path) => {
    const lines = tree.files.get(path)?.trimEnd().split("\n").length ?? 0;
    return lines > LONG_FILE_LINES ? [{ path, says: `has ${lines} lines: consider splitting it.` }] : [];
  });
}

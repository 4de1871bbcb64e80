import { readdirSync, readFileSync } from "node:fs";

/** One fault that the tests must detect. */
export interface Mutation {
  readonly name: string;
  /** The source file to break, relative to packages/server. */
  readonly file: string;
  /** Test files, relative to packages/server, fastest first. They run in this order until one fails. */
  readonly tests: readonly string[];
  /** The text to replace. It occurs exactly once in the file. */
  readonly from: string;
  readonly to: string;
  /** Part of the short run. */
  readonly short: boolean;
}

const SHORT = " (short)";

/**
 * Reads the mutations of all .txt files beside this file. `file` and `test` lines apply to all mutations after
 * them, until the next ones. A mutation is its name, the lines to replace, each after `-`, and the new lines,
 * each after `+`. If its name ends in `(short)`, it also runs with --short.
 */
export function readMutations(): Mutation[] {
  const here = new URL("./", import.meta.url);
  return readdirSync(here).filter((name) => name.endsWith(".txt")).sort()
    .flatMap((name) => parseMutations(readFileSync(new URL(name, here), "utf8")));
}

function parseMutations(text: string): Mutation[] {
  let file = "";
  const mutations: Mutation[] = [];
  let tests: string[] = [];
  for (const paragraph of text.trimEnd().split("\n\n")) {
    const lines = paragraph.split("\n");
    const after = (start: string) =>
      lines.filter((line) => line.startsWith(start)).map((line) => line.slice(start.length));
    const [files, named] = [after("file "), after("test ")];
    if (named.length > 0) [file, tests] = [files[0] ?? file, named];
    else if (!paragraph.startsWith("#")) {
      const name = lines[0]!.replace(SHORT, "");
      const [from, to] = [after("-").join("\n"), after("+").join("\n")];
      mutations.push({ name, file, tests, from, to, short: lines[0]!.endsWith(SHORT) });
    }
  }
  return mutations;
}

/**
 * Returns the source with the fault. Throws if `from` does not occur exactly once, because the mutation then
 * no longer fits the source.
 */
export function applyMutation({ name, file, from, to }: Mutation, source: string): string {
  const times = source.split(from).length - 1;
  if (times !== 1) {
    throw new Error(
      `${name}: the text to replace occurs ${times} times in ${file} instead of once: update this mutation test`,
    );
  }
  return source.replace(from, () => to);
}

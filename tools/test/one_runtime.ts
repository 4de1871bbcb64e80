import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";

/**
 * The test files that run on one runtime only, each with the reason. Either only that runtime can run the
 * file, or the result does not depend on the runtime. An entry that ends in "/" applies to all files of a
 * folder.
 */
export type OneRuntime = Readonly<
  Record<string, { readonly runtime: "node" | "deno"; readonly reason: string }>
>;

const LIST = "tools/one_runtime.json";

export function readOneRuntime(root: string): OneRuntime {
  const list = JSON.parse(readFileSync(join(root, LIST), "utf8")) as OneRuntime;
  for (const [file, { runtime, reason }] of Object.entries(list)) {
    if (!existsSync(join(root, file))) {
      throw new Error(`${LIST} lists ${file}, which does not exist: remove the entry.`);
    }
    if (!["node", "deno"].includes(runtime)) {
      throw new Error(`${LIST}: ${file} must have the runtime node or deno; got ${runtime}.`);
    }
    if (!reason) throw new Error(`${LIST}: ${file} has no reason; add why it runs on one runtime only.`);
  }
  return list;
}

export function runsOn(runtime: "node" | "deno", file: string, list: OneRuntime): boolean {
  const entry = Object.keys(list).find((path) => covers(path, file));
  return entry === undefined || list[entry]!.runtime === runtime;
}

/** Whether an entry of the list applies to this file. */
export const covers = (path: string, file: string): boolean =>
  path.endsWith("/") ? file.startsWith(path) : file === path;

import { readdirSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { compactJson } from "../tools/testing/compact_json.ts";
import type { VectorFile } from "./make/vector_file.ts";

type Maker = { readonly default: () => VectorFile | Promise<VectorFile> };

export const VECTORS_FOLDER = fileURLToPath(new URL(".", import.meta.url));
const MAKERS_FOLDER = join(VECTORS_FOLDER, "make");

/** Regenerates every vector file from `make/`, by file name. Each maker makes one file. */
export async function makeVectors(): Promise<Map<string, string>> {
  const made = new Map<string, string>();
  for (const file of readdirSync(MAKERS_FOLDER).sort()) {
    if (!file.endsWith(".ts") || file.endsWith(".test.ts") || file === "vector_file.ts") continue;
    const maker = await import(`./make/${file}`) as Maker;
    made.set(file.replace(/\.ts$/, ".json"), compactJson(await maker.default()));
  }
  return made;
}

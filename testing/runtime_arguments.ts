import { join } from "node:path";
import { fileURLToPath } from "node:url";

const ROOT = fileURLToPath(new URL("..", import.meta.url));

/**
 * Arguments that make this runtime run a TypeScript file of the tree at `root`. A child uses its parent's
 * runtime.
 */
export function runtimeArguments(file: string, root = ROOT): string[] {
  return "Deno" in globalThis
    ? ["run", "--no-check", "-A", file]
    : [join(root, "tools", "program.mjs"), file];
}

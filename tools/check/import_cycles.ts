import { packageFolders, targetOf } from "./structure.ts";
import type { Violation } from "./violation.ts";
import type { Tree } from "./tree.ts";

/**
 * Finds files that import each other in a cycle. Type imports count, too: a reader cannot understand one file
 * of a cycle without the others.
 */
export function findImportCycles(tree: Tree): Violation[] {
  const folders = packageFolders(tree);
  const violations: Violation[] = [];
  const done = new Set<string>();
  const trail: string[] = [];

  const follow = (path: string): void => {
    if (done.has(path)) return;
    const start = trail.indexOf(path);
    if (start >= 0) {
      const ring = [...trail.slice(start), path].join(" → ");
      violations.push({
        path,
        says: `is part of an import cycle: ${ring}. Move the shared code into a separate file.`,
      });
      return;
    }
    trail.push(path);
    for (const { specifier } of tree.modules.get(path)?.imports ?? []) {
      const target = targetOf(path, specifier, folders);
      if (target && tree.modules.has(target)) follow(target);
    }
    trail.pop();
    done.add(path);
  };

  for (const path of tree.modules.keys()) follow(path);
  return violations;
}

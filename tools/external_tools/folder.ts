import { mkdirSync, readdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";

/**
 * Copies the named files or folders, and then replaces the target by the copy at once, so that a reader never
 * sees an incomplete copy.
 */
export function replaceFolder(source: string, target: string, entries: readonly string[]): void {
  const fresh = `${target}.new`;
  rmSync(fresh, { recursive: true, force: true });
  for (const entry of entries) copy(join(source, entry), join(fresh, entry));
  rmSync(target, { recursive: true, force: true });
  renameSync(fresh, target);
}

/** Copies contents without modes. Go's cache is read-only, and a read-only copy could not be removed. */
function copy(source: string, target: string): void {
  if (statSync(source).isDirectory()) {
    for (const entry of readdirSync(source)) copy(join(source, entry), join(target, entry));
    return;
  }
  mkdirSync(dirname(target), { recursive: true });
  writeFileSync(target, readFileSync(source));
}

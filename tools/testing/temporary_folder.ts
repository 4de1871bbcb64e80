import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import process from "node:process";

const folders: string[] = [];

/**
 * Makes an empty folder whose name begins with `name`. It is removed when the process ends, which runs several
 * test files. So a test removes a large folder, such as one with a database, itself.
 */
export function temporaryFolder(name: string): string {
  const folder = mkdtempSync(join(tmpdir(), `${name}-`));
  if (folders.length === 0) process.once("exit", removeFolders);
  folders.push(folder);
  return folder;
}

function removeFolders(): void {
  for (const folder of folders) rmSync(folder, { recursive: true, force: true });
}

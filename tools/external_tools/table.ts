import { mkdirSync } from "node:fs";
import { join } from "node:path";
import process from "node:process";
import { TOOLS } from "./pinned_tools.ts";
import { MissingToolError, type Tool } from "./tool.ts";

export const EXTERNAL_TOOLS: readonly Tool[] = Object.values(TOOLS);
/** The tools that .ci/run needs. */
export const GATE_TOOLS: readonly Tool[] = EXTERNAL_TOOLS.filter((tool) =>
  tool !== TOOLS.k6 && tool !== TOOLS.goOrders
);

export function toolsFolder(root: string): string {
  const folder = join(root, ".tools");
  mkdirSync(folder, { recursive: true });
  return folder;
}

/**
 * Installs the tools that are missing, and prints a line for each tool. Returns an exit code; 3 means that a
 * program must be installed on this machine first.
 */
export function installTools(folder: string, tools: readonly Tool[]): number {
  for (const tool of tools) {
    const start = performance.now();
    const line = (what: string): void => {
      const seconds = ((performance.now() - start) / 1000).toFixed(1);
      console.log(`${tool.name.padEnd(22)} ${what.padEnd(10)} ${seconds.padStart(6)} s  ${tool.version}`);
    };
    if (tool.isInstalled(folder)) {
      line("present");
      continue;
    }
    try {
      tool.install(folder);
    } catch (error) {
      line("FAILED");
      console.error(error instanceof Error ? error.message : String(error));
      return error instanceof MissingToolError ? 3 : 1;
    }
    line("installed");
  }
  return 0;
}

/**
 * Ends the process with one sentence if an external tool is missing, so that an external check neither runs
 * without its tool nor is skipped.
 */
export function requireTools(root: string, tools: readonly Tool[]): void {
  const folder = toolsFolder(root);
  const missing = tools.filter((tool) => !tool.isInstalled(folder)).map(({ name }) => name);
  if (missing.length === 0) return;
  console.error(
    `External tools are missing or outdated: ${missing.join(", ")}. Run: node tools/run.mjs tools`,
  );
  process.exit(3);
}

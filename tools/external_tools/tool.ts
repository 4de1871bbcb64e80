import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";

/**
 * An external tool that `npm ci` does not install: a program or data that the external checks need. `folder`
 * is the absolute path of .tools.
 */
export interface Tool {
  readonly name: string;
  readonly version: string;
  isInstalled(folder: string): boolean;
  /** Installs the tool over any earlier version, or throws an error with one sentence. */
  install(folder: string): void;
}

/**
 * This machine lacks a program that the installation needs. The message names the program and how to get it.
 */
export class MissingToolError extends Error {
  override name = "MissingToolError";
}

/**
 * Makes a tool with a stamp that names its version and paths. The stamp is written last. The tool is
 * therefore installed again after an incomplete install, and if another version is installed.
 */
export function stampedTool(tool: Omit<Tool, "isInstalled">, paths: readonly string[]): Tool {
  const stampOf = (folder: string): string => join(folder, "stamps", tool.name);
  const stamp = [tool.version, ...paths].join("\n");
  return {
    ...tool,
    isInstalled(folder) {
      const whole = [stampOf(folder), ...paths.map((path) => join(folder, path))].every((path) =>
        existsSync(path)
      );
      return whole && readFileSync(stampOf(folder), "utf8") === stamp;
    },
    install(folder) {
      rmSync(stampOf(folder), { force: true });
      tool.install(folder);
      mkdirSync(join(folder, "stamps"), { recursive: true });
      writeFileSync(stampOf(folder), stamp);
    },
  };
}

import { spawnSync } from "node:child_process";
import { MissingToolError, type Tool } from "./tool.ts";

/** A program of this system, which is never downloaded. `missing` says how to install it. */
export const systemTool = (
  name: string,
  version: string,
  isInstalled: () => boolean,
  missing: string,
): Tool => ({
  name,
  version,
  isInstalled,
  install() {
    throw new MissingToolError(missing);
  },
});

/** Whether the program is on PATH, and prints a version that is accepted. */
export function runs(program: string, args: readonly string[], accepted: RegExp): boolean {
  const { status, stdout } = spawnSync(program, args, { encoding: "utf8" });
  return status === 0 && accepted.test(stdout);
}

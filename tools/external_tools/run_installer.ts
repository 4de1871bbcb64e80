import { spawnSync } from "node:child_process";
import process from "node:process";
import { MissingToolError } from "./tool.ts";

interface Installer {
  readonly cwd: string;
  readonly env?: Readonly<Record<string, string>>;
  /** Shows the progress, which the program writes to stderr, instead of keeping it for the error. */
  readonly showsProgress?: boolean;
  /** The sentence for a machine without the program. */
  readonly missing: string;
}

const TIMEOUT_MS = 600_000;

/** Runs a program that downloads or builds a tool, and returns its output. */
export function runInstaller(
  program: string,
  args: readonly string[],
  { cwd, env, showsProgress = false, missing }: Installer,
): string {
  const { status, stdout, stderr, error } = spawnSync(program, args, {
    cwd,
    env: { ...process.env, ...env },
    encoding: "utf8",
    stdio: ["ignore", "pipe", showsProgress ? "inherit" : "pipe"],
    timeout: TIMEOUT_MS,
    maxBuffer: 1 << 26,
  });
  if ((error as { code?: string } | undefined)?.code === "ENOENT") throw new MissingToolError(missing);
  if (status === 0) return stdout;
  const said = [error?.message, stdout, stderr].filter(Boolean).join("\n");
  throw new Error(`${[program, ...args].join(" ")} failed.\n${said}`);
}

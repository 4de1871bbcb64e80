import { execFileSync } from "node:child_process";
import process from "node:process";
import { fileURLToPath } from "node:url";

/**
 * Returns the version that a program shows. A release has its version alone. Other programs are built from a
 * tree between two releases, so they add its commit: 0.7.0-dev+1a2b3c4d5e6f. An image has no git history and
 * takes the commit from GOLD_COMMIT. Without both, the version ends with -dev.
 */
export function buildVersion(version: string): string {
  if (!version.endsWith("-dev")) return version;
  const commit = process.env["GOLD_COMMIT"] || commitOfTree();
  return commit === undefined ? version : `${version}+${commit}`;
}

function commitOfTree(): string | undefined {
  const cwd = fileURLToPath(new URL("../../..", import.meta.url));
  try {
    const args = ["rev-parse", "--show-prefix", "--short=12", "HEAD"];
    const text = execFileSync("git", args, { cwd, encoding: "utf8", stdio: ["ignore", "pipe", "ignore"] });
    // A tree within another repository has a prefix there, and none of its commits.
    const [prefix, commit] = text.split("\n");
    return prefix === "" ? commit : undefined;
  } catch {
    return undefined;
  }
}

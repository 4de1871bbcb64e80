// The releases of CHANGELOG.md as commits of this clone's history: upgrade tests and comparisons check them
// out.
import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { parseChangelog, type Release } from "./changelog.ts";

const ROOT = fileURLToPath(new URL("../../..", import.meta.url));

/** A release whose commit is in this clone. */
type ReleasedCommit = Release & {
  /** The full hash. */
  readonly commit: string;
};

/**
 * Every release that has a commit, newest first. While a release commit is tested, the list begins with the
 * release before it, because a commit cannot contain its own hash.
 */
export function releases(root = ROOT): readonly ReleasedCommit[] {
  return parseChangelog(readFileSync(join(root, "CHANGELOG.md"), "utf8")).releases.flatMap((release) =>
    release.commit === undefined ? [] : { ...release, commit: resolveCommit(release.commit, root) }
  );
}

/** The newest release that has a commit: the version that an upgrade starts from. */
export function lastRelease(root = ROOT): ReleasedCommit {
  const [last] = releases(root);
  if (!last) throw new Error("CHANGELOG.md names no release with a commit.");
  return last;
}

/**
 * Returns the full hash of a commit. Throws if this clone lacks the commit. In a shallow clone, the error
 * names the command that fetches it.
 */
export function resolveCommit(commit: string, root = ROOT): string {
  const git = (...args: readonly string[]) =>
    execFileSync("git", args, { cwd: root, encoding: "utf8", stdio: ["ignore", "pipe", "ignore"] }).trim();
  try {
    return git("rev-parse", "--verify", "--quiet", "--end-of-options", `${commit}^{commit}`);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") throw new Error("git was not found on PATH.");
    const isShallow = git("rev-parse", "--is-shallow-repository") === "true";
    throw new Error(
      isShallow
        ? `This shallow clone lacks commit ${commit}. Run: git fetch --unshallow`
        : `This clone has no commit ${commit}.`,
    );
  }
}

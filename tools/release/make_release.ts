import { execFileSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { compareVersions, parseChangelog } from "../testing/release/changelog.ts";
import { listFiles } from "../check/tree.ts";
import { unreleased } from "./version_carriers.ts";
import { withVersion } from "./version_files.ts";

/** The release cannot begin. The message says what to do; nothing has changed. */
export class ReleaseError extends Error {
  override readonly name: string = "ReleaseError";
}

export interface ReleasePlan {
  readonly root: string;
  readonly version: string;
  /** YYYY-MM-DD. */
  readonly date: string;
  /** Reverts all changes and commits nothing. */
  readonly isDryRun: boolean;
  /** Checks the tree with the new version in it. Throws if the tree must not be released. */
  verify(): Promise<void>;
}

const CHANGELOG = "CHANGELOG.md";

/**
 * Makes two commits: the release itself, and one that writes the hash of the release into the changelog,
 * because no commit can contain its own hash. Returns the hash of the release; undefined in a dry run. Pushes
 * and publishes nothing.
 */
export async function makeRelease(plan: ReleasePlan): Promise<string | undefined> {
  const { root, version, date, isDryRun, verify } = plan;
  const { git, files } = readClean(root);
  requireUnreleased(files.get(CHANGELOG) ?? "", version);
  const heading = (details: string) => `## ${version} (${details})\n`;
  const written = withVersion(files, version)
    .set(CHANGELOG, files.get(CHANGELOG)!.replace(heading("unreleased"), heading(date)));
  const restore = () => git("checkout", "--quiet", "HEAD", "--", ...written.keys());
  try {
    for (const [path, text] of written) writeFileSync(join(root, path), text);
    await verify();
  } catch (error) {
    restore();
    throw error;
  }
  if (isDryRun) {
    restore();
    return undefined;
  }
  git("add", ...written.keys());
  git("commit", "--quiet", "--message", `Release ${version}`);
  const commit = git("rev-parse", "HEAD");
  const recorded = heading(`${date}, commit ${commit.slice(0, 12)}`);
  writeFileSync(join(root, CHANGELOG), written.get(CHANGELOG)!.replace(heading(date), recorded));
  git("commit", "--quiet", "--message", `Record the commit of release ${version}`, "--", CHANGELOG);
  return commit;
}

/**
 * Commits the heading of the next version in the changelog, and VERSION-dev in all version files. Programs
 * and packages that are built from the tree then show that they are not the last release.
 */
export function beginVersion(root: string, version: string): void {
  const { git, files } = readClean(root);
  const changelog = files.get(CHANGELOG) ?? "";
  const { unreleased: open, releases: [last] } = parseChangelog(changelog);
  if (open !== undefined) throw new ReleaseError(`${CHANGELOG} already collects changes for ${open}.`);
  if (compareVersions(version, last.version) <= 0) {
    throw new ReleaseError(`${version} must be newer than ${last.version}.`);
  }
  const written = withVersion(files, unreleased(version))
    .set(CHANGELOG, changelog.replace("\n## ", `\n## ${version} (unreleased)\n\n## `));
  for (const [path, text] of written) writeFileSync(join(root, path), text);
  git("add", ...written.keys());
  git("commit", "--quiet", "--message", `Begin version ${version}`);
}

function readClean(root: string) {
  const git = (...args: readonly string[]) =>
    execFileSync("git", args, { cwd: root, encoding: "utf8" }).trim();
  if (git("status", "--porcelain") !== "") {
    throw new ReleaseError("The tree has uncommitted changes. Commit or stash them.");
  }
  const files = new Map(listFiles(root).map((path) => [path, readFileSync(join(root, path), "utf8")]));
  return { git, files };
}

function requireUnreleased(changelog: string, version: string): void {
  const { unreleased: open, releases: [last] } = parseChangelog(changelog);
  if (open === version) return;
  throw new ReleaseError(
    open === undefined
      ? `${CHANGELOG} collects no changes since ${last.version}: it has no heading "## ${version} (unreleased)".`
      : `${CHANGELOG} collects changes for ${open}; got ${version}.`,
  );
}

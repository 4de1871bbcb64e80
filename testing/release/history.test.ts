import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import { pathToFileURL } from "node:url";
import { assertEquals, assertMatch, assertThrows } from "@std/assert";
import { lastRelease, releases, resolveCommit } from "./history.ts";

describe("the releases in the git history", () => {
  let folder: string;
  let origin: string;
  let first: string;
  const git = (...args: readonly string[]) =>
    execFileSync("git", ["-C", origin, "-c", "user.name=test", "-c", "user.email=test@localhost", ...args], {
      encoding: "utf8",
    }).trim();
  const commit = (text: string): string => {
    writeFileSync(join(origin, "CHANGELOG.md"), text);
    git("add", ".");
    git("commit", "--quiet", "--message", "Change");
    return git("rev-parse", "HEAD");
  };
  before(() => {
    folder = mkdtempSync(join(tmpdir(), "gold-history-"));
    origin = join(folder, "origin");
    execFileSync("git", ["init", "--quiet", origin]);
    first = commit("# Changelog\n\n## 1.0.0 (unreleased)\n");
    commit(
      `# Changelog\n\n## 1.1.0 (2026-02-03)\n\n## 1.0.0 (2026-01-02, commit ${first.slice(0, 7)})\n`,
    );
  });
  after(() => rmSync(folder, { recursive: true, force: true }));

  it("include each release with the full hash of its commit, but no release without a commit", () => {
    assertEquals(releases(origin), [{ version: "1.0.0", date: "2026-01-02", commit: first }]);
    assertEquals(lastRelease(origin), releases(origin)[0]!);
  });

  it("cannot be read from a shallow clone: the error names the command that completes the clone", () => {
    const shallow = join(folder, "shallow");
    execFileSync("git", ["clone", "--quiet", "--depth", "1", pathToFileURL(origin).href, shallow]);
    assertThrows(() => lastRelease(shallow), Error, "Run: git fetch --unshallow");
    execFileSync("git", ["-C", shallow, "fetch", "--quiet", "--unshallow"]);
    assertEquals(lastRelease(shallow).commit, first);
  });

  it("reject a commit that does not exist, and never pass a commit's name to git as an option", () => {
    for (const wrong of ["0123abc", "--all", ""]) {
      assertThrows(() => resolveCommit(wrong, origin), Error, `This clone has no commit ${wrong}`);
    }
  });

  it("include the first release of this project", () => {
    const first = releases().at(-1)!;
    assertEquals([first.version, first.date], ["0.1.0", "2026-11-21"]);
    assertMatch(first.commit, /^7a4215c[0-9a-f]{33}$/);
  });
});

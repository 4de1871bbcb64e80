import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterEach, beforeEach, describe, it } from "node:test";
import { assert, assertEquals, assertRejects } from "@std/assert";
import { lastRelease } from "../testing/release/history.ts";
import { CHECKS } from "../check/checks.ts";
import { plant } from "../check/sample_tree.ts";
import { readTree } from "../check/tree.ts";
import { beginVersion, makeRelease, ReleaseError, type ReleasePlan } from "./make_release.ts";

describe("makeRelease()", () => {
  let root: string;
  let before: string;
  const git = (...args: readonly string[]) =>
    execFileSync("git", args, { cwd: root, encoding: "utf8" }).trim();
  const read = (path: string) => readFileSync(join(root, path), "utf8");
  const findViolations = async () => {
    const tree = await readTree(root);
    return Object.values(CHECKS).flatMap((find) => find(tree)).map(({ path, says }) => `${path} ${says}`);
  };
  const release = (more: Partial<ReleasePlan> = {}) =>
    makeRelease({
      ...{ root, version: "1.1.0", date: "2026-02-03", isDryRun: false },
      verify: async () => assertEquals(await findViolations(), []),
      ...more,
    });
  const begin = async (version: string) => beginVersion(root, version);
  beforeEach(async () => {
    root = mkdtempSync(join(tmpdir(), "gold-release-"));
    git("init", "--quiet");
    git("config", "user.name", "test");
    git("config", "user.email", "test@localhost");
    git("commit", "--quiet", "--allow-empty", "--message", "The first release");
    const first = `commit ${git("rev-parse", "--short=7", "HEAD")}`;
    for (const [path, text] of (await plant()).files) {
      mkdirSync(dirname(join(root, path)), { recursive: true });
      writeFileSync(join(root, path), text.replace("commit 0123abc", first));
    }
    git("add", ".");
    git("commit", "--quiet", "--message", "Change");
    before = git("rev-parse", "HEAD");
  });
  afterEach(() => rmSync(root, { recursive: true, force: true }));

  it("commits the new version in all files, then that commit's hash in the changelog", async () => {
    const commit = (await release())!;
    assertEquals(git("log", "--format=%s", `${before}..`).split("\n"), [
      "Record the commit of release 1.1.0",
      "Release 1.1.0",
    ]);
    assertEquals(commit, git("rev-parse", "HEAD~1"));
    assertEquals(lastRelease(root), { version: "1.1.0", date: "2026-02-03", commit });
    assertEquals(git("diff", "--name-only", "HEAD~1"), "CHANGELOG.md");
    assertEquals([await findViolations(), git("status", "--porcelain")], [[], ""]);
    for (
      const path of [
        "package.json",
        "package-lock.json",
        "packages/jws/deno.json",
        "packages/jws/package.json",
      ]
    ) {
      assert(read(path).includes(`"1.1.0"`) && !read(path).includes("-dev"), path);
    }
    git("checkout", "--quiet", commit);
    assertEquals([await findViolations(), lastRelease(root).version], [[], "1.0.0"]);
  });

  it("begins the next version with -dev in all files, and nothing can begin twice", async () => {
    await assertRejects(
      () => begin("1.2.0"),
      ReleaseError,
      "CHANGELOG.md already collects changes for 1.1.0",
    );
    await release();
    await assertRejects(() => begin("1.0.9"), ReleaseError, "1.0.9 must be newer than 1.1.0");
    await begin("1.2.0");
    assertEquals([git("log", "-1", "--format=%s"), await findViolations()], ["Begin version 1.2.0", []]);
    assert(read("CHANGELOG.md").includes("## 1.2.0 (unreleased)\n\n## 1.1.0 (2026-02-03, commit "));
    assert(read("packages/jws/package.json").includes(`"@gold-partner/canonical":"1.2.0-dev"`));
  });

  it("reverts all changes after a dry run and after a failed check", async () => {
    let seen = "";
    const verify = () => Promise.resolve(void (seen = read("package.json")));
    assertEquals(await release({ isDryRun: true, verify }), undefined);
    assert(seen.includes(`"1.1.0"`), seen);
    const fail = () => Promise.reject(new Error("a test is red"));
    await assertRejects(() => release({ verify: fail }), Error, "a test is red");
    assertEquals([git("rev-parse", "HEAD"), git("status", "--porcelain")], [before, ""]);
  });

  it("rejects a version without changes in the changelog, and a tree with uncommitted changes", async () => {
    await assertRejects(
      () => release({ version: "1.2.0" }),
      ReleaseError,
      "collects changes for 1.1.0; got 1.2.0",
    );
    writeFileSync(join(root, "new.ts"), "");
    await assertRejects(() => release(), ReleaseError, "uncommitted changes");
    rmSync(join(root, "new.ts"));
    await release();
    await assertRejects(() => release(), ReleaseError, "collects no changes since 1.1.0");
  });
});

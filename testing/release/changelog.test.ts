import { describe, it } from "node:test";
import { assertEquals, assertThrows } from "@std/assert";
import { compareVersions, parseChangelog } from "./changelog.ts";

const FIRST = { version: "0.9.0", date: "2026-01-02", commit: "0123abc" };
const FIRST_HEADING = "## 0.9.0 (2026-01-02, commit 0123abc)";
const changelog = (...lines: readonly string[]) => ["# Changelog", "", ...lines].join("\n");

describe("the changelog", () => {
  it("lists releases, newest first, and the version that collects changes", () => {
    assertEquals(
      parseChangelog(changelog("## 0.10.0 (unreleased)", "", "- A change.", "", FIRST_HEADING, "### Part")),
      { unreleased: "0.10.0", releases: [FIRST] },
    );
    assertEquals(parseChangelog(changelog(FIRST_HEADING)), { releases: [FIRST] });
  });

  it("allows the newest release to have no commit hash", () => {
    const newest = { version: "0.10.0", date: "2026-02-03" };
    assertEquals(parseChangelog(changelog("## 0.10.0 (2026-02-03)", FIRST_HEADING)), {
      releases: [newest, FIRST],
    });
  });

  it("rejects a malformed heading, a wrong order and an older release without a commit", () => {
    for (
      const [lines, message] of [
        [["## 1.0.0"], `got "## 1.0.0"`],
        [["## 1.0 (unreleased)"], `got "## 1.0 (unreleased)"`],
        [["## Next (unreleased)"], `got "## Next`],
        [["## 1.0.0 (2026-01-02, commit 0123AB)"], "The heading must be"],
        [[FIRST_HEADING, "## 0.10.0 (2026-02-03, commit 4567def)"], "0.10.0 must not come after 0.9.0"],
        [[FIRST_HEADING, FIRST_HEADING], "0.9.0 must not come after 0.9.0"],
        [["## 1.0.0 (unreleased)", "## 0.9.0 (2026-01-02)"], "Only the first heading"],
        [["## 1.0.0 (2026-02-03, commit 4567def)", "## 0.9.0 (unreleased)"], "Only the first heading"],
        [["## 1.0.0 (unreleased)"], "holds no release"],
        [[], "holds no release"],
      ] as const
    ) {
      assertThrows(() => parseChangelog(changelog(...lines)), Error, message);
    }
  });

  it("compares versions by number, not by text", () => {
    assertEquals(["0.10.0", "0.9.9", "1.0.0"].sort(compareVersions), ["0.9.9", "0.10.0", "1.0.0"]);
    assertEquals(compareVersions("1.2.3", "1.2.3"), 0);
  });
});

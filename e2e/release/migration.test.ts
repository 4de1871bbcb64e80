import { execFileSync } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import { describe, it } from "node:test";
import { fileURLToPath } from "node:url";
import { assert, assertEquals } from "@std/assert";
import { compactJson } from "../../tools/testing/compact_json.ts";
import { lastRelease } from "../../tools/testing/release/history.ts";

const ROOT = fileURLToPath(new URL("../..", import.meta.url));
const META = "packages/server/migrations/meta";
const JOURNAL = `${META}/_journal.json`;
const git = (...args: readonly string[]) =>
  execFileSync("git", args, { cwd: ROOT, encoding: "utf8", maxBuffer: 2 ** 26 });
const newestOf = (journal: string) =>
  (JSON.parse(journal) as { entries: readonly { when: number }[] }).entries.at(-1)!.when;

describe("the migrations since the last release", () => {
  it("include a new one if any SQL has changed, because a process compares only migrations with the database", () => {
    const { commit } = lastRelease();
    const changed = git("diff", "--name-only", commit, "--", "packages/server/src/**/*.sql").trim();
    const released = newestOf(git("show", `${commit}:${JOURNAL}`));
    const ours = newestOf(readFileSync(`${ROOT}${JOURNAL}`, "utf8"));
    assert(
      changed === "" || ours > released,
      `Run npx drizzle-kit generate --custom --name NAME: there is no migration since the release, but changes of ${changed}.`,
    );
  });

  it("keep only the newest snapshot, in few lines (otherwise run npm run schema)", () => {
    const { entries } = JSON.parse(readFileSync(`${ROOT}${JOURNAL}`, "utf8"));
    const newest = `${`${entries.at(-1).idx}`.padStart(4, "0")}_snapshot.json`;
    assertEquals(readdirSync(ROOT + META).sort(), [newest, "_journal.json"]);
    const snapshot = readFileSync(`${ROOT}${META}/${newest}`, "utf8");
    assertEquals(snapshot, compactJson(JSON.parse(snapshot)));
  });
});

import { spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, join, relative } from "node:path";
import process from "node:process";
import { after, before, describe, it } from "node:test";
import { assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import { ROOT } from "../test/tier.ts";
import { stagePackages } from "./stage.ts";
import { packFolders } from "./tarball.ts";

const RUNTIME = process.versions["deno"] === undefined ? ["--import", "tsx"] : ["run", "-A"];

const pack = (...args: readonly string[]) =>
  spawnSync(process.execPath, [...RUNTIME, "tools/pack.ts", ...args], { cwd: ROOT, encoding: "utf8" });

/** Returns the path, mode and hash of each staged file. If two tarballs differ, this shows in which file. */
const contentsOf = (folder: string) =>
  readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && !entry.name.endsWith(".tgz"))
    .map((entry) => join(entry.parentPath, entry.name)).sort()
    .map((path) => {
      const sha256 = createHash("sha256").update(readFileSync(path)).digest("hex");
      return `${relative(folder, path)} ${(statSync(path).mode & 0o777).toString(8)} ${sha256}`;
    });

describe("npm run pack", () => {
  let folder: string;
  before(() => {
    folder = mkdtempSync(join(tmpdir(), "gold-staged-"));
  });
  after(() => rmSync(folder, { recursive: true }));

  it("makes a tarball of each package, with the same bytes for every user", async () => {
    const out = join(folder, "for_all");
    const { stdout, stderr, status } = pack(out);
    assertEquals([stderr, status], ["", 0]);
    const said = stdout.trim().split("\n").map((line) => line.split("  "));
    assertEquals(said.map(([, path]) => basename(path!).replace(/-\d.*/, "")), [
      ...["gold-partner-canonical", "gold-partner-jws", "gold-partner-protocol", "gold-partner-client"],
      "gold-partner-cli",
    ]);

    const usual = process.umask(0o077);
    try {
      const own = join(folder, "for_one");
      const tarballs = await packFolders(await stagePackages(own), own);
      assertEquals(contentsOf(own), contentsOf(out));
      assertEquals(tarballs.map(({ sha256 }) => sha256), said.map(([sha256]) => sha256!));
    } finally {
      process.umask(usual);
    }
  });

  it("refuses a folder that is not empty, and changes nothing in it", () => {
    const file = join(folder, "mine");
    writeFileSync(file, "mine");
    const { stdout, stderr, status } = pack(folder);
    assertEquals([stdout, status], ["", 2]);
    assertStringIncludes(stderr, `${folder} is not empty`);
    assertEquals(readFileSync(file, "utf8"), "mine");
  });

  it("prints its usage for wrong arguments", () => {
    for (const args of [["--help"], ["a", "b"]]) {
      const { stderr, status } = pack(...args);
      assertMatch(stderr, /^Usage: npm run pack/);
      assertEquals(status, 2);
    }
  });
});

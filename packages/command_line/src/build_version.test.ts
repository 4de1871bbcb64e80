import { execFileSync } from "node:child_process";
import process from "node:process";
import { afterEach, describe, it } from "node:test";
import { assertEquals } from "@std/assert";
import { buildVersion } from "./build_version.ts";

describe("buildVersion()", () => {
  afterEach(() => {
    delete process.env["GOLD_COMMIT"];
  });

  it("adds nothing to a release", () => {
    assertEquals(buildVersion("0.7.0"), "0.7.0");
    assertEquals(buildVersion("0.7.0-dev+1a2b3c4d5e6f"), "0.7.0-dev+1a2b3c4d5e6f");
  });

  it("adds the commit of the tree, or the one that the image was built with", () => {
    const commit = execFileSync("git", ["rev-parse", "HEAD"], { encoding: "utf8" }).slice(0, 12);
    assertEquals(buildVersion("0.7.0-dev"), `0.7.0-dev+${commit}`);
    process.env["GOLD_COMMIT"] = "0123456789ab";
    assertEquals(buildVersion("0.7.0-dev"), "0.7.0-dev+0123456789ab");
  });
});

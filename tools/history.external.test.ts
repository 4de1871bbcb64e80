import { spawnSync } from "node:child_process";
import { generateKeyPairSync } from "node:crypto";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, it } from "node:test";
import { assertEquals, assertStringIncludes } from "@std/assert";
import { ROOT } from "./test/tier.ts";

const FOUND = 1;

function run(
  folder: string,
  program: string,
  args: readonly string[],
): { status: number | null; output: string } {
  const { status, stdout, stderr, error } = spawnSync(program, args, {
    cwd: folder,
    encoding: "utf8",
    timeout: 180_000,
  });
  if (error) {
    throw new Error(
      `${program} does not run: ${error.message}. Install git, and run: node tools/run.mjs tools gitleaks`,
    );
  }
  return { status, output: stdout + stderr };
}

/** Runs gitleaks over every commit of the repository in `folder`, with this repository's .gitleaks.toml. */
const searchHistory = (folder: string) =>
  run(folder, join(ROOT, ".tools/bin/gitleaks"), [
    ...["git", "--no-banner", "--no-color", "--redact", "--verbose", "--exit-code", `${FOUND}`],
    ...["--config", join(ROOT, ".gitleaks.toml"), "."],
  ]);

describe("the Git history", () => {
  it("contains no secret in any commit", () => {
    assertEquals(run(ROOT, "git", ["rev-parse", "--is-shallow-repository"]).output, "false\n");
    const { status, output } = searchHistory(ROOT);
    assertEquals(status, 0, output);
  });

  it("fails the check for a secret that the next commit removed", () => {
    const folder = mkdtempSync(join(tmpdir(), "history-test-"));
    try {
      const git = (...args: string[]) => {
        const identity = ["-c", "user.name=Test", "-c", "user.email=test@localhost"];
        const { status, output } = run(folder, "git", [...identity, ...args]);
        assertEquals(status, 0, output);
      };
      const { privateKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
      git("init", "--quiet");
      writeFileSync(join(folder, "key.pem"), privateKey.export({ type: "pkcs8", format: "pem" }));
      git("add", "key.pem");
      git("commit", "--quiet", "--message", "A key");
      git("rm", "--quiet", "key.pem");
      git("commit", "--quiet", "--message", "Gone again");
      const { status, output } = searchHistory(folder);
      assertEquals(status, FOUND);
      assertStringIncludes(output, "private-key");
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  });
});

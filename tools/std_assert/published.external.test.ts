import { execFileSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, it } from "node:test";
import { assert } from "@std/assert";
import { temporaryFolder } from "../testing/temporary_folder.ts";
import { findRuntimes } from "../test/runtimes.ts";
import { ROOT } from "../test/tier.ts";

const FOLDER = join(ROOT, "tools/std_assert");

describe("the stand-in for @std/assert", () => {
  it("has the signatures of the published package, wherever its registry can be reached", (test) => {
    const { version } = JSON.parse(readFileSync(join(FOLDER, "package.json"), "utf8"));
    const published = `jsr:@std/assert@${version}`;
    const folder = temporaryFolder("std-assert");
    const deno = (...args: readonly string[]) =>
      execFileSync(findRuntimes(ROOT).deno, args, { cwd: folder, encoding: "utf8", stdio: "pipe" });
    try {
      deno("cache", "--no-config", published);
    } catch (error) {
      const { stderr } = error as { stderr: string };
      // A network that does not serve the package makes the comparison impossible. Any other failure is one.
      assert(/error sending request|Import '.*' failed|dns error/.test(stderr), stderr);
      test.diagnostic(
        `The signatures were NOT compared: ${published} cannot be reached from here.`,
      );
      return;
    }
    writeFileSync(join(folder, "compare.ts"), comparison(published));
    deno("check", "--no-config", "compare.ts");
  });
});

/** Returns a program that compiles only if each function may replace its namesake, in both directions. */
function comparison(published: string): string {
  const source = readFileSync(join(FOLDER, "mod.ts"), "utf8");
  const names = new Set([...source.matchAll(/^export (?:async )?function (\w+)/gm)].map(([, name]) => name!));
  return [
    `import * as ours from ${JSON.stringify(join(FOLDER, "mod.ts"))};`,
    `import * as theirs from ${JSON.stringify(published)};`,
    ...[...names].flatMap((name) => [
      `const ours_${name}: typeof theirs.${name} = ours.${name};`,
      `const theirs_${name}: typeof ours.${name} = theirs.${name};`,
    ]),
    "const error: theirs.AssertionError = new ours.AssertionError('', { cause: 1 });",
  ].join("\n");
}

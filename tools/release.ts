// npm run release -- VERSION [--dry-run] [--gate-passed]: makes a release out of the changes that
// CHANGELOG.md collects for VERSION, as two commits. It pushes and publishes nothing. CONTRIBUTING.md says
// what to do before and after. With --begin, it begins VERSION, as one commit.
// Exit: 0 done, 1 a check failed and nothing has changed, 2 wrong usage or a tree that cannot be released.
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import process from "node:process";
import { parseOptions } from "@gold-partner/command-line";
import { PUBLISHED } from "./check/structure.ts";
import { jsrArguments } from "./pack/jsr_arguments.ts";
import { stagePackages } from "./pack/stage.ts";
import { packFolders } from "./pack/tarball.ts";
import { beginVersion, makeRelease, ReleaseError } from "./release/make_release.ts";
import { findRuntimes, runVisibly } from "./test/runtimes.ts";
import { ROOT } from "./test/tier.ts";

const USAGE = `Usage: npm run release -- VERSION [--begin | [--dry-run] [--gate-passed]]
  --begin        begins VERSION after a release: its heading in CHANGELOG.md, and VERSION-dev in all manifests
  --dry-run      checks and packs as for a release, then reverts everything
  --gate-passed  skips npm test, because it has already passed on this commit`;
const VERSION = /^\d+\.\d+\.\d+$/;
const DATE_LENGTH = "YYYY-MM-DD".length;
const [FAILED, USAGE_EXIT] = [1, 2];

function readOptions() {
  try {
    const { values, positionals: [version = "", ...more] } = parseOptions(process.argv.slice(2), {
      "begin": { type: "boolean", default: false },
      "dry-run": { type: "boolean", default: false },
      "gate-passed": { type: "boolean", default: false },
    });
    if (!VERSION.test(version) || more.length > 0) {
      throw new Error(`VERSION must be one version such as 0.2.0; got "${[version, ...more].join(" ")}".`);
    }
    return {
      ...{ version, isBeginning: values["begin"] },
      ...{ isDryRun: values["dry-run"], isGatePassed: values["gate-passed"] },
    };
  } catch (error) {
    console.error(`${(error as Error).message}\n${USAGE}`);
    process.exit(USAGE_EXIT);
  }
}

const { version, isBeginning, isDryRun, isGatePassed } = readOptions();
const { node, deno } = findRuntimes(ROOT);

async function step(name: string, command: string, args: readonly string[], folder = ROOT): Promise<void> {
  console.log(`\n── ${name}`);
  if (await runVisibly(folder, command, args) !== 0) {
    throw new Error(`${name} failed. See its output above.`);
  }
}

async function packForNpm(): Promise<void> {
  console.log("\n── tarballs for npm");
  const folder = await mkdtemp(join(tmpdir(), "gold-release-"));
  try {
    for (const { path, sha256 } of await packFolders(await stagePackages(folder), folder)) {
      console.log(`${sha256}  ${basename(path)}`);
    }
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

async function verify(): Promise<void> {
  await step("structure", node, ["--import", "tsx", "tools/check.ts"]);
  await packForNpm();
  for (const folder of PUBLISHED) {
    await step(
      `${folder} for JSR`,
      deno,
      [...jsrArguments(folder), "--dry-run", "--quiet"],
      join(ROOT, folder),
    );
  }
  if (!isGatePassed) await step("npm test", node, ["tools/run.mjs", "test"]);
}

function begin(): string {
  beginVersion(ROOT, version);
  return `The tree is version ${version}-dev now, as one commit.`;
}

async function release(): Promise<string> {
  const date = new Date().toISOString().slice(0, DATE_LENGTH);
  const commit = await makeRelease({ root: ROOT, version, date, isDryRun, verify });
  return commit === undefined
    ? `\n${version} can be released. Nothing has changed.`
    : `\n${version} is released as commit ${commit}. Push both commits, then publish.`;
}

// Do not end this program: Ctrl-C ends the running step, and this program reverts everything.
for (const signal of ["SIGINT", "SIGTERM"] as const) process.on(signal, () => {});
try {
  console.log(isBeginning ? begin() : await release());
} catch (error) {
  console.error(`${(error as Error).message}\nNothing has changed.`);
  process.exitCode = error instanceof ReleaseError ? USAGE_EXIT : FAILED;
}

import { spawn } from "node:child_process";
import {
  copyFileSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, it } from "node:test";
import { pathToFileURL } from "node:url";
import { assertEquals, assertStringIncludes } from "@std/assert";
import { ROOT } from "./test/tier.ts";

/**
 * A program that prints the word of word.ts, its first argument and its paths. Throws if the argument is
 * "fail".
 */
const MAIN = `import { word } from "./word.ts";
const [how = ""]: string[] = process.argv.slice(2);
if (how === "fail") throw new Error("as asked");
console.log(JSON.stringify([word, how, import.meta.url, process.argv[1]]));`;

/** Runs program.mjs on Node even if Deno runs the test, because only Node programs use program.mjs. */
function run(root: string, ...args: string[]): Promise<{ code: number | null; out: string; err: string }> {
  return new Promise((resolve) => {
    const child = spawn("node", [join(root, "tools/program.mjs"), "packages/one/src/main.ts", ...args], {
      cwd: root,
    });
    let [out, err] = ["", ""];
    child.stdout.on("data", (text) => out += text);
    child.stderr.on("data", (text) => err += text);
    child.once("close", (code) => resolve({ code, out, err }));
  });
}

async function withProgram(use: (root: string, main: string) => Promise<void>): Promise<void> {
  const root = realpathSync(mkdtempSync(join(tmpdir(), "program-test-")));
  try {
    for (const folder of ["tools", "packages/one/src", "node_modules"]) {
      mkdirSync(join(root, folder), { recursive: true });
    }
    for (const name of ["tsx", "esbuild"]) {
      symlinkSync(join(ROOT, "node_modules", name), join(root, "node_modules", name));
    }
    copyFileSync(join(ROOT, "tools/program.mjs"), join(root, "tools/program.mjs"));
    writeFileSync(join(root, "package.json"), `{"type":"module"}`);
    writeFileSync(join(root, "packages/one/src/word.ts"), `export const word: string = "first";`);
    const main = join(root, "packages/one/src/main.ts");
    writeFileSync(main, MAIN);
    await use(root, main);
  } finally {
    rmSync(root, { recursive: true, force: true });
  }
}

const CACHE = "node_modules/.cache/gold";

describe("program.mjs", () => {
  it("runs a program from its kept bundle, with the source file's paths, and rebuilds it after a change", async () => {
    await withProgram(async (root, main) => {
      const said = async (...args: string[]) => JSON.parse((await run(root, ...args)).out) as string[];
      const place = [pathToFileURL(main).href, main];
      assertEquals(await said("a b"), ["first", "a b", ...place]);
      const [tree] = readdirSync(join(root, CACHE));
      const bundle = join(root, CACHE, tree!, "packages_one_src_main.mjs");
      const kept = readFileSync(bundle, "utf8");
      // Edit the kept bundle. If the next run prints the edited word, it used this bundle.
      writeFileSync(bundle, kept.replace('"first"', '"kept"'));
      assertEquals((await said())[0], "kept");
      writeFileSync(join(root, "packages/one/src/word.ts"), `export const word: string = "second";`);
      assertEquals(await said(), ["second", "", ...place]);
    });
  });

  it("names the line of the source in an error", async () => {
    await withProgram(async (root, main) => {
      const { code, err } = await run(root, "fail");
      assertEquals(code, 1);
      assertStringIncludes(err, `${main}:3`);
    });
  });

  it("runs the source file if the bundle cannot be written", async () => {
    await withProgram(async (root, main) => {
      // Put a file where the folder would be created. Missing permissions would not stop root, but this file
      // does.
      writeFileSync(join(root, "node_modules/.cache"), "");
      const { code, out } = await run(root);
      assertEquals([code, JSON.parse(out)], [0, ["first", "", pathToFileURL(main).href, main]]);
      assertEquals(readdirSync(join(root, "node_modules")).sort(), [".cache", "esbuild", "tsx"]);
    });
  });
});

import { spawn } from "node:child_process";
import { once } from "node:events";
import { readdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import process from "node:process";
import { after, before, describe, it } from "node:test";
import { fileURLToPath } from "node:url";
import { assert, assertEquals } from "@std/assert";
import { exampleArguments } from "../../tools/testing/example_program.ts";
import { Stack } from "../contract/stack_fixture.ts";
import { temporaryFolder } from "../../tools/testing/temporary_folder.ts";

const ROOT = fileURLToPath(new URL("../..", import.meta.url));
const CLIENT = join(ROOT, "packages/client");
const BLOCK = /^( *\* )?```ts\n([\s\S]*?)^\1?```$/gm;

/**
 * Returns the package's examples, keyed by file and line. Webhook examples are left out: they need no
 * service, so the package's own tests run them.
 */
async function readExamples(): Promise<Map<string, string>> {
  const sources = (await readdir(join(CLIENT, "src"))).filter((name) => /^[a-z_]+\.ts$/.test(name));
  const examples = new Map<string, string>();
  for (const page of ["README.md", ...sources.map((name) => `src/${name}`)]) {
    const text = await readFile(join(CLIENT, page), "utf8");
    for (const { 1: star = "", 2: block, index } of text.matchAll(BLOCK)) {
      const code = block!.split("\n").map((line) => line.slice(star.length)).join("\n");
      if (code.includes("verifyWebhook(")) continue;
      examples.set(`${page}:${text.slice(0, index).split("\n").length}`, code);
    }
  }
  return examples;
}

describe("the examples of GoldClient", () => {
  let stack: Stack;
  const folder = temporaryFolder("gold-examples");

  before(async () => {
    stack = await Stack.open();
    await stack.partner.succeed("fundSandbox", { body: { amount_sar: 100_000 } });
  });

  after(() => stack?.close());

  async function run(code: string): Promise<{ exit: number; out: string; err: string }> {
    const file = join(folder, "example.mts");
    await writeFile(file, code);
    const { client_id } = stack.partner.credentials;
    const env = {
      ...process.env,
      GOLD_CREDENTIALS: stack.running.state.path("partners", client_id, "credentials.json"),
    };
    const child = spawn(process.execPath, await exampleArguments(file), {
      cwd: ROOT,
      env,
      stdio: ["ignore", "pipe", "pipe"],
    });
    let [out, err] = ["", ""];
    child.stdout.setEncoding("utf8").on("data", (part) => out += part);
    child.stderr.setEncoding("utf8").on("data", (part) => err += part);
    const [exit] = await once(child, "close");
    return { exit: exit as number, out, err };
  }

  it("run to the end with only their import path changed, and print what their comments say", async () => {
    const examples = await readExamples();
    assert(examples.size >= 6, [...examples.keys()].join());
    for (const [place, code] of examples) {
      const { exit, out, err } = await run(code);
      assertEquals([exit, err], [0, ""], place);
      const [, said] = /console\.log\(.*\); \/\/ (.*)$/m.exec(code) ?? [];
      if (said !== undefined) assertEquals(out.trimEnd(), said, place);
    }
  });
});

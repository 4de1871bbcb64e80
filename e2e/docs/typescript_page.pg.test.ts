import { execFile } from "node:child_process";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import process from "node:process";
import { after, before, describe, it } from "node:test";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { assertEquals } from "@std/assert";
import { Stack } from "../contract/stack_fixture.ts";
import { expectShown, readBlocks } from "./doc_fixture.ts";

const PAGE = new URL("../../docs/typescript.md", import.meta.url);
const ROOT = fileURLToPath(new URL("../..", import.meta.url));
const DOOR = new URL("../../packages/client/src/mod.ts", import.meta.url).href;
const RUNTIME = "Deno" in globalThis
  ? ["run", "--allow-all", "--no-check", "--config", "deno.json"]
  : ["--import", "tsx"];
const BLOCK_END = "━━━";

describe("the TypeScript guide", () => {
  let stack: Stack;
  before(async () => void (stack = await Stack.open()));
  after(() => stack?.close());

  it("works as printed, with the output that it shows: typescript.md", async () => {
    await stack.operator("price set --source fixed --mid 500 --spread 60");
    const blocks = readBlocks(await readFile(PAGE, "utf8"));
    const code = blocks.filter(({ language }) => language === "ts");
    const shown = blocks.filter(({ language }) => language === "text");
    assertEquals([code.length + shown.length, code.length], [blocks.length, shown.length]);
    const program = code.map(({ text }) => `${text}console.log("${BLOCK_END}");\n`).join("");
    const { client_id } = stack.partner.credentials;
    const GOLD_CREDENTIALS = stack.running.state.path("partners", client_id, "credentials.json");
    const folder = await mkdtemp(join(tmpdir(), "gold-typescript-"));
    try {
      const file = join(folder, "program.mts");
      // Replace the package's name by its path, because the name does not resolve outside the repository.
      await writeFile(file, program.replace('"@gold-partner/client"', `"${DOOR}"`));
      const { stdout } = await promisify(execFile)(process.execPath, [...RUNTIME, file], {
        cwd: ROOT,
        env: { ...process.env, GOLD_CREDENTIALS, NO_COLOR: "1" },
        timeout: 180_000,
      });
      const came = stdout.split(`${BLOCK_END}\n`);
      assertEquals(came.length, shown.length + 1);
      shown.forEach(({ text }, index) => expectShown(came[index]!, text));
    } finally {
      await rm(folder, { recursive: true });
    }
  });
});

import { execFile } from "node:child_process";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import process from "node:process";
import { after, before, describe, it } from "node:test";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { REQUEST_HEADER } from "@gold-partner/protocol";
import { assert, assertEquals } from "@std/assert";
import { Stack } from "../contract/stack_fixture.ts";
import { expectShown, readBlocks } from "./doc_fixture.ts";

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

  /** Runs the TypeScript of a page as a new partner, and compares its output with the text after each block. */
  async function follow(page: string): Promise<void> {
    const { credentials: { client_id } } = await stack.onboard("Example Bank");
    await stack.operator("price set --source fixed --mid 500 --spread 60");
    const blocks = readBlocks(await readFile(join(ROOT, page), "utf8"));
    const steps = blocks.flatMap(({ language, text }, index) =>
      language === "ts" ? [{ code: text, shown: blocks[index + 1]!.text }] : []
    );
    assert(steps.length > 0);
    const program = steps.map(({ code }) => `${code}console.log("${BLOCK_END}");\n`).join("");
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
      assertEquals(came.length, steps.length + 1);
      steps.forEach(({ shown }, index) => expectShown(came[index]!, shown));
    } finally {
      await rm(folder, { recursive: true });
    }
  }

  it("works as printed, with the output that it shows: README.md", async () => {
    await follow("README.md");
    const exchange = readBlocks(await readFile(join(ROOT, "README.md"), "utf8"))
      .find(({ text }) => text.startsWith("POST "))!;
    const [request = "", , , reply = ""] = exchange.text.split("\n\n");
    const [row] = await stack.sql`select body from gold.idempotency_key where key = 'first-order'`;
    expectShown(row!.body as string, reply.replaceAll("\n", ""));
    const known: string[] = [...Object.values(REQUEST_HEADER), "Content-Type"];
    const headers = request.split("\n").slice(1).map((line) => line.split(":")[0]!);
    assertEquals(headers.filter((name) => !known.includes(name)), []);
  });

  it("works as printed, with the output that it shows: typescript.md", () => follow("docs/typescript.md"));
});

import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import { fileURLToPath } from "node:url";
import { REQUEST_HEADER } from "@gold-partner/protocol";
import { assert, assertEquals } from "@std/assert";
import { Stack } from "../contract/stack_fixture.ts";
import { expectShown, readBlocks } from "./doc_fixture.ts";
import { runTypeScript } from "./program_fixture.ts";

const ROOT = fileURLToPath(new URL("../..", import.meta.url));

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
    const credentials = stack.running.state.path("partners", client_id, "credentials.json");
    const came = await runTypeScript(steps.map(({ code }) => code), credentials);
    assertEquals(came.length, steps.length);
    steps.forEach(({ shown }, index) => expectShown(came[index]!, shown));
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

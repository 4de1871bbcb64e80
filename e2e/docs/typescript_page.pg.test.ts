import { execFile } from "node:child_process";
import { copyFile, mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import type { Server } from "node:http";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import process from "node:process";
import { after, before, describe, it } from "node:test";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { REQUEST_HEADER } from "@gold-partner/protocol";
import { assert, assertEquals } from "@std/assert";
import { Stack } from "../contract/stack_fixture.ts";
import { expectShown, readBlocks } from "./doc_fixture.ts";
import { serveNpmRegistry } from "./npm_registry_fixture.ts";
import { openShell } from "./shell_fixture.ts";

const ROOT = fileURLToPath(new URL("../..", import.meta.url));
const RUN = "Deno" in globalThis ? ["run", "-A", "tools/run.mjs"] : ["tools/run.mjs"];

/** A page's commands, its TypeScript as one program, and the output that it shows after each block of it. */
async function readProgram(page: string) {
  const blocks = readBlocks(await readFile(join(ROOT, page), "utf8"));
  const textsOf = (language: string) =>
    blocks.filter((block) => block.language === language).map(({ text }) => text);
  const shown = blocks.filter((_, index) => blocks[index - 1]?.language === "ts").map(({ text }) => text);
  assert(shown.length > 0 && shown.length === textsOf("ts").length);
  return { commands: textsOf("sh"), program: textsOf("ts").join(""), shown: shown.join("") };
}

describe("the TypeScript guide", () => {
  let stack: Stack;
  let folder: string;
  let tarball: string;
  let registry: { server: Server; url: string };
  before(async () => {
    stack = await Stack.open();
    await stack.operator("price set --source fixed --mid 500 --spread 60");
    folder = await mkdtemp(join(tmpdir(), "gold-typescript-"));
    const dist = join(folder, "dist");
    await promisify(execFile)(process.execPath, [...RUN, "pack", dist], { cwd: ROOT });
    tarball = (await readdir(dist)).find((name) => /^gold-partner-client-.*\.tgz$/.test(name))!;
    registry = await serveNpmRegistry(join(folder, "registry"));
  });
  after(async () => {
    registry?.server.close();
    await stack?.close();
    await rm(folder, { recursive: true, force: true });
  });

  /** Opens a shell for a new partner, in a folder that has only the client's tarball. */
  async function openReader() {
    const { credentials: { client_id } } = await stack.onboard("Example Bank");
    const home = await mkdtemp(join(folder, "reader-"));
    await copyFile(join(folder, "dist", tarball), join(home, tarball));
    const shell = openShell(home, {
      PATH: `${process.env["PATH"]}${delimiter}${join(ROOT, "node_modules/.bin")}`,
      HOME: home,
      GOLD_CREDENTIALS: stack.running.state.path("partners", client_id, "credentials.json"),
      NPM_CONFIG_PREFIX: join(folder, "global"),
      NPM_CONFIG_REGISTRY: registry.url,
      NPM_CONFIG_YES: "false", // answers every question of npm with no
      NPM_CONFIG_UPDATE_NOTIFIER: "false",
      NO_COLOR: "1",
    });
    return { home, shell };
  }

  it("installs as printed, and its program runs twice on Node and on Deno with the output that it shows: typescript.md", async () => {
    const { commands: [install, onNode, onDeno], program, shown } = await readProgram("docs/typescript.md");
    const { home, shell } = await openReader();
    try {
      await shell.run(install!);
      await writeFile(join(home, "first_order.mts"), program);
      for (const command of [onNode!, onDeno!, onNode!, onDeno!]) {
        expectShown(await shell.run(command), shown);
      }
    } finally {
      await shell.stop();
    }
  });

  it("works as printed, twice, with the output that it shows: README.md", async () => {
    const { program, shown } = await readProgram("README.md");
    const exchange = readBlocks(await readFile(join(ROOT, "README.md"), "utf8"))
      .find(({ text }) => text.startsWith("POST "))!;
    const [request = "", , , reply = ""] = exchange.text.split("\n\n");
    const { home, shell } = await openReader();
    try {
      await shell.run(`npm install ./${tarball}`);
      await writeFile(join(home, "program.mts"), program);
      const run = async () => expectShown(await shell.run("npx --yes tsx program.mts"), shown);
      await run();
      const [row] = await stack.sql`
        select body from gold.idempotency_key where result_kind = 'order' order by created_at desc limit 1`;
      expectShown(row!.body as string, reply.replaceAll("\n", ""));
      await run();
    } finally {
      await shell.stop();
    }
    const known: string[] = [...Object.values(REQUEST_HEADER), "Content-Type"];
    const headers = request.split("\n").slice(1).map((line) => line.split(":")[0]!);
    assertEquals(headers.filter((name) => !known.includes(name)), []);
  });
});

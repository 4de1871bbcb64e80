import { mkdir, mkdtemp, readFile, rm, symlink } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import process from "node:process";
import { describe, it } from "node:test";
import { startUntilReady } from "@gold-partner/dev/testing";
import { findFreePort } from "@gold-partner/local-postgres";
import { assert, assertEquals } from "@std/assert";
import { OFFLINE_PIP, PYTHON_PACKAGE, PythonEnvironment } from "../client/python_client_fixture.ts";
import { Stack } from "../contract/stack_fixture.ts";
import { expectShown, readBlocks, readSteps } from "./doc_fixture.ts";
import { runPython } from "./program_fixture.ts";
import { openShell } from "./shell_fixture.ts";

const PAGE = "docs/python.md";
const COMMANDS_MAX = 6;

const readPage = () => readFile(join(PYTHON_PACKAGE, "../..", PAGE), "utf8");

async function inFolder(use: (folder: string) => Promise<void>): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), "gold-python-page-"));
  try {
    await use(folder);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

describe("the Python guide", () => {
  it("leads from an empty folder to an order in six commands, while npm start runs", () =>
    inFolder(async (folder) => {
      // Make a folder that looks to the page like a clone in which `npm start` runs.
      const clone = join(folder, "clone");
      await mkdir(join(folder, "empty"));
      await mkdir(clone);
      await symlink(join(PYTHON_PACKAGE, ".."), join(clone, "packages"));
      const started = await startUntilReady(join(clone, ".gold"), "--port", `${await findFreePort()}`);
      const env = { PATH: process.env.PATH ?? "", HOME: folder, REPOSITORY: clone, ...OFFLINE_PIP };
      const shell = openShell(join(folder, "empty"), env);
      try {
        const page = await readPage();
        const [start, ...more] = readSteps(page.slice(0, page.indexOf("\n## ")));
        assertEquals(more, []);
        const commands = start!.commands.replace(/<<'(\w+)'\n[^]*?^\1$/m, "").trim().split("\n");
        assert(commands.length <= COMMANDS_MAX, `${commands.length} commands`);
        expectShown(await shell.run(start!.commands), start!.shown!);
      } finally {
        await shell.stop();
        await started.stop();
      }
    }));

  it("works as printed, with the output that it shows, twice and in any order", async () => {
    const python = await PythonEnvironment.create();
    const stack = await Stack.open();
    try {
      await stack.operator("price set --source fixed --mid 500 --spread 60");
      const page = await readPage();
      const blocks = readBlocks(page);
      const [, firstOrder] = /<<'END_OF_FILE'\n([^]*?)^END_OF_FILE$/m.exec(page)!;
      const steps = blocks.flatMap(({ language, text }, index) =>
        language === "python" ? [{ code: text, shown: blocks[index + 1]!.text }] : []
      );
      const { client_id } = stack.partner.credentials;
      const credentials = stack.running.state.path("partners", client_id, "credentials.json");
      for (let round = 0; round < 2; round++) {
        const printed = await runPython(python, steps.map(({ code }) => code), credentials);
        assertEquals(printed.length, steps.length);
        steps.forEach(({ shown }, index) => expectShown(printed[index]!, shown));
        const [ordered] = await runPython(python, [firstOrder!], credentials);
        expectShown(ordered!, blocks.find(({ language }) => language === "text")!.text);
      }
    } finally {
      await stack.close();
      await python.remove();
    }
  });
});

import { mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import process from "node:process";
import { describe, it } from "node:test";
import { startUntilReady } from "@gold-partner/dev/testing";
import { findFreePort } from "@gold-partner/dev/postgres";
import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { OFFLINE_PIP, PYTHON_PACKAGE, PythonEnvironment } from "../client/python_client_fixture.ts";
import { Stack } from "../contract/stack_fixture.ts";
import { expectShown, readBlocks, readSteps } from "./doc_fixture.ts";
import { runPython } from "./program_fixture.ts";
import { openShell } from "./shell_fixture.ts";

const PAGE = "docs/python.md";
const COMMANDS_MAX = 6;

const readPage = () => readFile(join(PYTHON_PACKAGE, "../../..", PAGE), "utf8");

async function inFolder(use: (folder: string) => Promise<void>): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), "gold-python-page-"));
  try {
    await use(folder);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

describe("the Python guide", () => {
  it("leads from an empty folder to an order in six commands, while npm start --state runs, and again in the same folder", () =>
    inFolder(async (folder) => {
      const [empty, STATE] = [join(folder, "empty"), join(folder, "state")];
      await mkdir(empty);
      const started = await startUntilReady(STATE, "--port", `${await findFreePort()}`);
      const REPOSITORY = join(PYTHON_PACKAGE, "../../..");
      const env = { PATH: process.env.PATH ?? "", HOME: folder, REPOSITORY, STATE, ...OFFLINE_PIP };
      const shell = openShell(empty, env);
      try {
        const page = await readPage();
        const [start, ...more] = readSteps(page.slice(0, page.indexOf("\n## ")));
        assertEquals(more, []);
        const commands = start!.commands.replace(/<<'(\w+)'\n[^]*?^\1$/m, "").trim().split("\n");
        assert(commands.length <= COMMANDS_MAX, `${commands.length} commands`);
        for (let round = 0; round < 2; round++) {
          expectShown(await shell.run(start!.commands), start!.shown!);
        }
      } finally {
        await shell.stop();
        await started.stop();
      }
    }));

  it("works as printed, with the output that it shows, twice and in any order, and mypy --strict accepts its programs", async () => {
    const python = await PythonEnvironment.create("mypy");
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
      for (
        const [name, code] of [["page.py", steps.map(({ code }) => code).join("")], ["first.py", firstOrder!]]
      ) {
        const program = join(python.folder, name!);
        await writeFile(program, code!);
        assertStringIncludes(await python.run(["-m", "mypy", "--strict", program]), "no issues found");
      }
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

import { mkdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import process from "node:process";
import { after, before, describe, it } from "node:test";
import { findFreePort } from "@gold-partner/dev/postgres";
import { startUntilReady } from "@gold-partner/dev/testing";
import { assert, assertEquals } from "@std/assert";
import { temporaryFolder } from "../../tools/testing/temporary_folder.ts";
import { CSHARP_PACKAGE, CsharpBuild } from "../client/csharp_client_fixture.ts";
import { Stack } from "../contract/stack_fixture.ts";
import { expectShown, readBlocks, readSteps } from "./doc_fixture.ts";
import { buildCsharp, runCsharp } from "./program_fixture.ts";
import { openShell } from "./shell_fixture.ts";

const REPOSITORY = join(CSHARP_PACKAGE, "../../..");
const PAGE = "docs/csharp.md";
const COMMANDS_MAX = 4;

const readPage = () => readFile(join(REPOSITORY, PAGE), "utf8");

describe("the C# guide", () => {
  let build: CsharpBuild;
  before(async () => {
    build = await CsharpBuild.create();
  });

  it("leads from an empty folder to an order in four commands, with the variables that it prints, while npm start --state runs, and again in the same folder", async () => {
    const folder = temporaryFolder("gold-csharp-page");
    const [empty, STATE] = [join(folder, "empty"), join(folder, "state")];
    await mkdir(empty);
    const started = await startUntilReady(STATE, "--port", `${await findFreePort()}`);
    // What the page's commands build stays out of the repository, and a build leaves no server behind.
    const surroundings = { GoldTarget: join(folder, "client"), MSBUILDDISABLENODEREUSE: "1" };
    const own = { PATH: process.env.PATH ?? "", HOME: folder, REPOSITORY, STATE };
    const shell = openShell(empty, { ...surroundings, UseSharedCompilation: "false", ...own });
    try {
      const [variables, start] = readSteps((await readPage()).split("\n## ")[0]!);
      await shell.run(variables!.commands);
      const commands = start!.commands.replace(/ <<'?(\w+)'?\n[^]*?^\1$/gm, "").trim().split("\n");
      assert(commands.length <= COMMANDS_MAX, `${commands.length} commands`);
      for (let round = 0; round < 2; round++) expectShown(await shell.run(start!.commands), start!.shown!);
    } finally {
      await shell.stop();
      await started.stop();
    }
  });

  describe("on the real service", () => {
    let stack: Stack;
    before(async () => {
      stack = await Stack.open();
      await stack.operator("price set --source fixed --mid 500 --spread 60");
    });
    after(async () => {
      await stack?.close();
    });

    it("works as printed, with the output that it shows, twice", async () => {
      const blocks = readBlocks(await readPage());
      const steps = blocks.flatMap(({ language, text }, index) =>
        language === "csharp" ? [{ code: text, shown: blocks[index + 1]!.text }] : []
      );
      const program = await buildCsharp(build, steps.map(({ code }) => code));
      const { client_id } = stack.partner.credentials;
      const credentials = stack.running.state.path("partners", client_id, "credentials.json");
      for (let round = 0; round < 2; round++) {
        const printed = await runCsharp(build, program, credentials);
        assertEquals(printed.length, steps.length);
        steps.forEach(({ shown }, index) => expectShown(printed[index]!, shown));
      }
    });
  });
});

import { mkdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import process from "node:process";
import { describe, it } from "node:test";
import { findFreePort } from "@gold-partner/dev/postgres";
import { startUntilReady } from "@gold-partner/dev/testing";
import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { temporaryFolder } from "../../tools/testing/temporary_folder.ts";
import { JAVA_PACKAGE, JavaBuild } from "../client/java_client_fixture.ts";
import { Stack } from "../contract/stack_fixture.ts";
import { expectShown, readBlocks, readSteps } from "./doc_fixture.ts";
import { runJava } from "./program_fixture.ts";
import { openShell } from "./shell_fixture.ts";

const REPOSITORY = join(JAVA_PACKAGE, "../../..");
const PAGE = "docs/java.md";
const COMMANDS_MAX = 6;

const readPage = () => readFile(join(REPOSITORY, PAGE), "utf8");

describe("the Java guide", () => {
  it("leads from an empty folder to an order in six commands, while npm start --state runs, and again in the same folder", async () => {
    const folder = temporaryFolder("gold-java-page");
    const [empty, STATE] = [join(folder, "empty"), join(folder, "state")];
    await mkdir(empty);
    const started = await startUntilReady(STATE, "--port", `${await findFreePort()}`);
    const shell = openShell(empty, { PATH: process.env.PATH ?? "", HOME: folder, REPOSITORY, STATE });
    try {
      const [start] = readSteps((await readPage()).split("\n```xml\n")[0]!);
      const commands = start!.commands.replace(/<<'(\w+)'\n[^]*?^\1$/m, "").trim().split("\n");
      assert(commands.length <= COMMANDS_MAX, `${commands.length} commands`);
      for (let round = 0; round < 2; round++) {
        // Maven resets the colours of a terminal, which prints nothing.
        expectShown((await shell.run(start!.commands)).replaceAll("\x1b[0m", ""), start!.shown!);
      }
    } finally {
      await shell.stop();
      await started.stop();
    }
  });

  it("names the package as its pom.xml does", async () => {
    const [dependency] = readBlocks(await readPage()).filter(({ language }) => language === "xml");
    const pom = await readFile(join(JAVA_PACKAGE, "pom.xml"), "utf8");
    const names = /<groupId>.*<\/groupId>\s*<artifactId>.*<\/artifactId>/.exec(dependency!.text)![0];
    assertStringIncludes(pom, names);
  });

  it("works as printed, with the output that it shows, twice", async () => {
    const build = await JavaBuild.create("-DskipTests");
    const stack = await Stack.open();
    try {
      await stack.operator("price set --source fixed --mid 500 --spread 60");
      const blocks = readBlocks(await readPage());
      const steps = blocks.flatMap(({ language, text }, index) =>
        language === "java" ? [{ code: text, shown: blocks[index + 1]!.text }] : []
      );
      const { client_id } = stack.partner.credentials;
      const credentials = stack.running.state.path("partners", client_id, "credentials.json");
      for (let round = 0; round < 2; round++) {
        const printed = await runJava(build, steps.map(({ code }) => code), credentials);
        assertEquals(printed.length, steps.length);
        steps.forEach(({ shown }, index) => expectShown(printed[index]!, shown));
      }
    } finally {
      await stack.close();
    }
  });
});

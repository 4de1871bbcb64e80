import { after, before, describe, it } from "node:test";
import { assert, assertEquals } from "../../tools/testing/assert.ts";
import { gold } from "@gold-partner/operator";
import { expectShown, readBlocks, readSteps } from "./doc_fixture.ts";
import { Office, type Row } from "./office_fixture.ts";
import { readPage } from "./page_fixture.ts";

const PAGE = "operator.md";

describe("the operator's guide", () => {
  let office: Office;
  before(async () => void (office = await Office.open()));
  after(() => office?.close());

  it("contains only commands that succeed in the printed order, from an empty database", async () => {
    for (const { line, commands, shown } of readSteps(await readPage(PAGE))) {
      let answer: Row = {};
      for (const [index, command] of commands.trimEnd().split("\n").entries()) {
        answer = await office.execute(command).catch((error: Error) => {
          throw new Error(`docs/${PAGE}, line ${line + 1 + index}: ${command}\n${error.message}`);
        });
      }
      // A `text` block is what the last command of the block printed with --json.
      if (shown !== undefined) expectShown(JSON.stringify(answer), shown);
    }
  });

  it("leaves books in which the commands of audit.md report no defect, with the login that the page creates", async () => {
    const blocks = readBlocks(await readPage("audit.md"));
    for (const { text } of blocks.filter(({ language }) => language === "sql")) {
      await office.createAuditor(text);
    }
    for (const { text } of blocks.filter(({ language }) => language === "sh")) {
      for (const command of text.trimEnd().split("\n")) await office.execute(command);
    }
  });

  it("contains every command that gold lists", async () => {
    const out: string[] = [];
    await gold([], {
      env: {},
      out: (text) => out.push(text),
      err: () => {},
      now: () => new Date(),
      random: (length) => new Uint8Array(length),
    });
    // Match the words of a command, which are in lower case. Its arguments and options follow.
    const listed = [...out.join("\n").matchAll(/^ {2}gold ([a-z][a-z -]*?)(?= {2}| [^a-z]|$)/gm)].map((
      [, words],
    ) => words!);
    assert(listed.length > 50, listed.join(", "));
    const pages = await Promise.all([PAGE, "recovery.md"].map(readPage));
    const typed = pages.flatMap(readSteps).flatMap(({ commands }) => commands.split("\n"));
    const missing = listed.filter((words) => !typed.some((line) => `${line} `.startsWith(`gold ${words} `)));
    assertEquals(missing, []);
  });
});

import { after, before, describe, it } from "node:test";
import { assert, assertEquals } from "@std/assert";
import { expectShown, readBlocks, readSteps } from "./doc_fixture.ts";
import { Office, type Row } from "./office_fixture.ts";
import { readPage } from "./page_fixture.ts";
import { runGold } from "../fixtures/gold.ts";

/** The pages in the order of the table in docs/operator.md. They share one deployment. */
const PAGES = [
  "operator/setup.md",
  "operator/partners.md",
  "operator/money.md",
  "operator/events.md",
  "operator/keys.md",
  "operator/logins.md",
  "operator/prices.md",
  "operator/views.md",
  "operator/checkpoints.md",
  "operator/load_tests.md",
  "operator/two_people.md",
  "operator/signed_approvals.md",
  "operator/console.md",
];

describe("the operator's guide", () => {
  let office: Office;
  before(async () => void (office = await Office.open()));
  after(() => office?.close());

  it("lists its pages in the order in which this test runs them", async () => {
    const listed = [
      ...(await readPage("operator.md")).matchAll(/^\| [^|]+ \| \[[^\]]+\]\((operator\/\w+\.md)\) +\|$/gm),
    ];
    assertEquals([...new Set(listed.map(([, page]) => page))], PAGES);
  });

  it("contains only commands that succeed in the printed order, from an empty database", async () => {
    for (const page of PAGES) {
      for (const { line, commands, shown } of readSteps(await readPage(page))) {
        let answer: Row = {};
        for (const [index, command] of commands.trimEnd().split("\n").entries()) {
          answer = await office.execute(command).catch((error: Error) => {
            throw new Error(`docs/${page}, line ${line + 1 + index}: ${command}\n${error.message}`);
          });
        }
        // A `text` block is what the last command of the block printed with --json.
        if (shown !== undefined) expectShown(JSON.stringify(answer), shown);
      }
    }
  });

  it("leaves books in which the commands of audit.md report no defect, with the login that this page creates", async () => {
    const blocks = readBlocks(await readPage("audit.md"));
    for (const { text } of blocks.filter(({ language }) => language === "sql")) {
      await office.createAuditor(text);
    }
    for (const { text } of blocks.filter(({ language }) => language === "sh")) {
      for (const command of text.trimEnd().split("\n")) await office.execute(command);
    }
  });

  it("contains every command that gold lists", async () => {
    const { out } = await runGold(["--help", "--json"], {});
    const listed = (JSON.parse(out) as { commands: { words: string }[] }).commands.map(({ words }) => words);
    assert(listed.length > 50, listed.join(", "));
    const pages = await Promise.all([...PAGES, "recovery.md"].map(readPage));
    const typed = pages.flatMap(readSteps).flatMap(({ commands }) => commands.split("\n"));
    const missing = listed.filter((words) => !typed.some((line) => `${line} `.startsWith(`gold ${words} `)));
    assertEquals(missing, []);
  });
});

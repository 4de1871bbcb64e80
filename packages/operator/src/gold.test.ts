import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, it } from "node:test";
import { assert, assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import { COMMANDS } from "./gold.ts";
import { type Run, runGold } from "./gold_fixture.ts";
import { temporaryFolder } from "../../../tools/testing/temporary_folder.ts";

/** No server listens on port 9 of this machine. */
const NOWHERE = { DATABASE_URL: "postgres://operator:hunter2@127.0.0.1:9/gold" };

function assertProblem(run: Run, exit: number, code: string): string {
  assertEquals([run.exit, run.problem.exit_code, run.problem.code], [exit, exit, code], run.err);
  assertEquals(run.out, "");
  return run.problem.detail;
}

describe("gold", () => {
  const folder = temporaryFolder("gold-cli");

  it("lists the commands by task without arguments or with --help, and all of them as JSON", async () => {
    for (const argv of [[], ["--help"], ["help"]]) {
      const run = await runGold(argv);
      assertEquals([run.exit, run.err], [0, ""]);
      for (const { words } of COMMANDS) assertMatch(run.out, new RegExp(`^ {2}${words.split(" ")[0]} `, "m"));
      assertStringIncludes(run.out, "create, list, show, suspend, resume, set, approve-iban");
    }
    const { json } = await runGold(["--help", "--json"]);
    assertEquals((json.commands as unknown[]).length, COMMANDS.length);
  });

  it("explains the commands that begin with a word", async () => {
    for (const argv of [["deposit"], ["deposit", "--help"]]) {
      const { exit, out } = await runGold(argv);
      assertEquals(exit, 0);
      assertEquals(out.match(/^gold [a-z]+ [a-z]+/gm), [
        ...["gold deposit record", "gold deposit approve", "gold deposit list", "gold deposit reverse"],
      ]);
    }
  });

  it("prints the usage of each command for --help, starting with the command's words", async () => {
    for (const { words, usage, does } of COMMANDS) {
      const run = await runGold([...words.split(" "), "--help"]);
      const joined = (text: string) => text.replace(/\s/g, "");
      assertEquals([run.exit, joined(run.out)], [0, joined(`gold ${usage} ${does}`)]);
      assert(usage.startsWith(words), usage);
    }
  });

  it("exits with 2 for an unknown command, and says which one it may have been", async () => {
    const table = [
      ["partner delete", "Run `gold partner` for"],
      ["Partner list", "Did you mean `gold partner list`?"],
      ["propsal aprove x", "Did you mean `gold proposal approve`?"],
      ["orders", "Did you mean `gold order`?"],
      ["--json", "Options must come after"],
      ["x".repeat(500), "Run `gold --help` for"],
    ] as const;
    for (const [argv, words] of table) {
      assertStringIncludes(assertProblem(await runGold([argv]), 2, "usage"), words);
    }
  });

  it("prints its version", async () => {
    assertMatch((await runGold(["--version"])).out, /^gold \d+\.\d+\.\d+(-dev\+[0-9a-f]{12})?$/);
  });

  it("writes an error for a person at a terminal as a sentence, and as JSON with --json", async () => {
    const screen = { columns: 60, hasColor: false, now: new Date() };
    const run = await runGold(["partner", "shw", "x"], { screen, errorScreen: screen });
    assertEquals([run.exit, run.err], [
      2,
      "gold: There is no command `gold partner shw`. Did you mean\n" +
      "`gold partner show`? Run `gold partner` for the list of\ncommands.\n(usage, exit code 2)",
    ]);
    const asked = await runGold(["partner", "shw", "--json"], { screen, errorScreen: screen });
    assertEquals(asked.problem.exit_code, 2);
  });

  it("rejects an option before the command's words, and says that options come after them", async () => {
    const run = await runGold(["--state", ".gold", "partner", "list"]);
    assertStringIncludes(assertProblem(run, 2, "usage"), "Options must come after the command's words");
  });

  it("rejects an unknown option, and too many or too few arguments", async () => {
    const table = [
      ["partner", "list", "--verbose"],
      ["partner", "list", "extra"],
      ["partner", "show"],
      ["partner", "show", "a", "b"],
      ["partner", "show", "--json=yes", "a"],
      ["cert", "issue", "ID", "--csr"],
    ];
    for (const argv of table) {
      assertStringIncludes(assertProblem(await runGold(argv), 2, "usage"), "Usage: gold");
    }
  });

  it("rejects a repeated option, except for options that accept several values", async () => {
    for (
      const argv of [["audit", "list", "--limit", "1", "--limit=2"], ["partner", "list", "--json", "--json"]]
    ) {
      const detail = assertProblem(await runGold(argv, { env: NOWHERE }), 2, "usage");
      assertStringIncludes(detail, `${argv[2]} is given twice`);
    }
    const several = ["price", "set", "--open", "sun 10:00-11:00", "--open", "mon 10:00-11:00"];
    assertProblem(await runGold(several, { env: NOWHERE }), 3, "database_unreachable");
  });

  it("exits with 2 for an invalid option value, and names the option", async () => {
    const table = [
      ["deposit", "record", "x", "--bank-ref", "b", "--amount", "1.001"],
      ["partner", "set", "x", "--iban", "SA1"],
      ["partner", "set", "x", "--max-grams", "much"],
    ];
    for (const argv of table) {
      const detail = assertProblem(await runGold(argv, { env: NOWHERE }), 2, "usage");
      assertStringIncludes(detail, argv.at(-2)!);
    }
  });

  it("exits with 3 and says that the command succeeded, if the output cannot be written", async () => {
    const out = () => {
      throw new Error("ENOSPC: no space left on device, write");
    };
    for (const argv of [["config", "explain"], ["--help"], ["partner", "list", "--help"]]) {
      assertStringIncludes(
        assertProblem(await runGold(argv, { out }), 3, "answer_lost"),
        "The command succeeded, but its output could not be written: ENOSPC",
      );
    }
  });

  describe("the database URL", () => {
    it("is required: without DATABASE_URL and a running npm start, gold exits with 2", async () => {
      const detail = assertProblem(await runGold(["partner", "list", "--state", folder]), 2, "usage");
      assertStringIncludes(detail, "DATABASE_URL");
      assertStringIncludes(detail, folder);
    });

    it("comes from the running npm start if DATABASE_URL is not set", async () => {
      await writeFile(join(folder, "run.json"), JSON.stringify({ database_url: NOWHERE.DATABASE_URL }));
      assertProblem(await runGold(["partner", "list", "--state", folder]), 3, "database_unreachable");
    });

    it("is found with a --state that is relative to the caller's folder", async () => {
      await mkdir(join(folder, "here"));
      await writeFile(
        join(folder, "here", "run.json"),
        JSON.stringify({ database_url: NOWHERE.DATABASE_URL }),
      );
      const run = await runGold(["partner", "list", "--state", "here"], { env: { INIT_CWD: folder } });
      assertProblem(run, 3, "database_unreachable");
    });

    it("is never printed with its password; gold exits with 3 if it cannot connect", async () => {
      const run = await runGold(["partner", "list", "--json"], { env: NOWHERE });
      assertProblem(run, 3, "database_unreachable");
      assertEquals(run.err.includes("hunter2"), false);
    });

    it("must have sslmode=verify-full for a remote host, unless GOLD_ENV is sandbox", async () => {
      const remote = "postgres://operator:hunter2@database.invalid/gold";
      const run = (env: Record<string, string>) => runGold(["partner", "list", "--json"], { env });
      for (const GOLD_ENV of ["", "production"]) {
        const refused = await run({ DATABASE_URL: remote, GOLD_ENV });
        assertStringIncludes(assertProblem(refused, 2, "usage"), "add sslmode=verify-full");
        assertEquals(refused.err.includes("hunter2"), false);
      }
      assertProblem(await run({ DATABASE_URL: remote, GOLD_ENV: "sandbox" }), 3, "database_unreachable");
      const verified = `${remote}?sslmode=verify-full`;
      assertProblem(await run({ DATABASE_URL: verified }), 3, "database_unreachable");
    });

    it("must be valid; otherwise gold exits with 2 and names DATABASE_URL", async () => {
      for (const DATABASE_URL of ["gold", "http://127.0.0.1/gold", "postgres://a b/"]) {
        const detail = assertProblem(
          await runGold(["partner", "list"], { env: { DATABASE_URL } }),
          2,
          "usage",
        );
        assertStringIncludes(detail, "DATABASE_URL");
      }
    });
  });
});

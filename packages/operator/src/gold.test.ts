import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import type { Command } from "./command.ts";
import { COMMANDS } from "./gold.ts";
import { type Run, runGold } from "./gold_trial.ts";

/** No server listens on port 9 of this machine. */
const NOWHERE = { DATABASE_URL: "postgres://operator:hunter2@127.0.0.1:9/gold" };

function assertProblem(run: Run, exit: number, code: string): string {
  assertEquals([run.exit, run.problem.exit_code, run.problem.code], [exit, exit, code], run.err);
  assertEquals(run.out, "");
  return run.problem.detail;
}

describe("gold", () => {
  let folder: string;
  before(async () => void (folder = await mkdtemp(join(tmpdir(), "gold-cli-"))));
  after(() => rm(folder, { recursive: true }));

  it("shows every command with its use when it is called alone or for help", async () => {
    for (const argv of [[], ["--help"], ["partner", "--help"]]) {
      const run = await runGold(argv);
      assertEquals([run.exit, run.err], [0, ""]);
      for (const { usage, does } of COMMANDS) assertStringIncludes(run.out, `  gold ${usage}\n      ${does}`);
    }
  });

  it("shows the use of each command, which begins with the words that call it", async () => {
    for (const { words, usage, does } of COMMANDS) {
      const run = await runGold([...words.split(" "), "--help"]);
      assertEquals([run.exit, run.out], [0, `gold ${usage}\n${does}`]);
      assert(usage.startsWith(words), usage);
    }
  });

  it("names a command that it does not know, and exits with 2", async () => {
    for (
      const argv of [["partner"], ["partner", "delete"], ["--json"], ["Partner", "list"], ["x".repeat(500)]]
    ) {
      assertStringIncludes(assertProblem(await runGold(argv), 2, "usage"), "gold --help");
    }
  });

  it("says that options come after the command's words", async () => {
    const run = await runGold(["--state", ".gold", "partner", "list"]);
    assertStringIncludes(assertProblem(run, 2, "usage"), "words come first");
  });

  it("refuses an option that it does not know, and too many or too few arguments", async () => {
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

  it("refuses an option that is given twice, but where several are meant", async () => {
    for (
      const argv of [["audit", "list", "--limit", "1", "--limit=2"], ["partner", "list", "--json", "--json"]]
    ) {
      const detail = assertProblem(await runGold(argv, { env: NOWHERE }), 2, "usage");
      assertStringIncludes(detail, `${argv[2]} is given twice`);
    }
    const several = ["price", "set", "--open", "sun 10:00-11:00", "--open", "mon 10:00-11:00"];
    assertProblem(await runGold(several, { env: NOWHERE }), 3, "database_unreachable");
  });

  it("names the option whose value is wrong, and exits with 2", async () => {
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

  it("says that it is done, with exit 3, where nobody can read what it answers", async () => {
    const out = () => {
      throw new Error("ENOSPC: no space left on device, write");
    };
    const run = await runGold(["config", "explain"], { out });
    assertStringIncludes(
      assertProblem(run, 3, "answer_lost"),
      "It is done, but the answer could not be written: ENOSPC",
    );
  });

  describe("what cannot be undone", () => {
    const asking = COMMANDS.filter(({ asks }) => asks);
    const UUID = "019a9b3c-0000-7000-8000-000000000001";
    const named = ({ takes = [] }: Command) =>
      takes.map((name) => name === "WD" ? `wd_${UUID}` : name === "DEP" ? `dep_${UUID}` : name);

    it("asks first: a no leaves everything as it is, before the database is even called", async () => {
      assert(asking.length >= 3);
      for (const command of asking) {
        const asked: string[] = [];
        const run = await runGold([...command.words.split(" "), ...named(command)], {
          env: NOWHERE,
          ask: (question) => (asked.push(question), Promise.resolve(false)),
        });
        assertProblem(run, 1, "not_confirmed");
        assertEquals(asked.length, 1);
        assertStringIncludes(asked[0]!, named(command)[0]!);
      }
    });

    it("needs --yes where nobody can be asked", async () => {
      for (const command of asking) {
        const argv = [...command.words.split(" "), ...named(command)];
        assertStringIncludes(assertProblem(await runGold(argv, { env: NOWHERE }), 2, "usage"), "--yes");
        assertProblem(await runGold([...argv, "--yes"], { env: NOWHERE }), 3, "database_unreachable");
      }
    });

    it("goes on after a yes", async () => {
      const run = await runGold(["partner", "suspend", "x"], {
        env: NOWHERE,
        ask: () => Promise.resolve(true),
      });
      assertProblem(run, 3, "database_unreachable");
    });
  });

  describe("the database", () => {
    it("is missing in one sentence, with exit 2, where neither DATABASE_URL nor npm start says which", async () => {
      const detail = assertProblem(await runGold(["partner", "list", "--state", folder]), 2, "usage");
      assertStringIncludes(detail, "DATABASE_URL");
      assertStringIncludes(detail, folder);
    });

    it("is that of a running npm start", async () => {
      await writeFile(join(folder, "run.json"), JSON.stringify({ database_url: NOWHERE.DATABASE_URL }));
      assertProblem(await runGold(["partner", "list", "--state", folder]), 3, "database_unreachable");
    });

    it("is found by a --state that is relative to where the person stands", async () => {
      await mkdir(join(folder, "here"));
      await writeFile(
        join(folder, "here", "run.json"),
        JSON.stringify({ database_url: NOWHERE.DATABASE_URL }),
      );
      const run = await runGold(["partner", "list", "--state", "here"], { env: { INIT_CWD: folder } });
      assertProblem(run, 3, "database_unreachable");
    });

    it("is down with exit 3, and its password is in no message", async () => {
      const run = await runGold(["partner", "list", "--json"], { env: NOWHERE });
      assertProblem(run, 3, "database_unreachable");
      assertEquals(run.err.includes("hunter2"), false);
    });

    it("is not reached over a network without sslmode=verify-full, unless GOLD_ENV says sandbox", async () => {
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

    it("is a usage error where DATABASE_URL is no URL", async () => {
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

import { closeSync, openSync, writeFileSync } from "node:fs";
import { spawnSync } from "node:child_process";
import { join } from "node:path";
import process from "node:process";
import { describe, it } from "node:test";
import { fileURLToPath } from "node:url";
import { assert, assertEquals, assertMatch, assertStringIncludes } from "../../../tools/testing/assert.ts";
import { runtimeArguments } from "../../../tools/testing/runtime_arguments.ts";
import { goldPartner } from "./gold_partner.ts";
import { printableJson, tableText } from "./output.ts";
import { temporaryFolder } from "../../../tools/testing/temporary_folder.ts";

const NAMES = "doctor listen trigger check-receiver quote order withdraw balances events statement audit"
  .split(" ");

async function run(argv: readonly string[], env: Record<string, string> = {}) {
  const [out, err]: [string[], string[]] = [[], []];
  const exit = await goldPartner(argv, {
    env,
    out: (text) => out.push(text),
    err: (text) => err.push(text),
    now: Date.now,
    untilStopped: () => new AbortController().signal,
  });
  return { exit, out: out.join("\n"), err: err.join("\n") };
}

describe("gold-partner", () => {
  const folder = temporaryFolder("gold-partner");

  it("lists every command without arguments and with --help", async () => {
    for (const argv of [[], ["--help"], ["-h"], ["help"]]) {
      const { exit, out, err } = await run(argv);
      assertEquals([exit, err], [0, ""]);
      for (const name of NAMES) assertMatch(out, new RegExp(`^  ${name}`, "m"));
      assertStringIncludes(out, "GOLD_CREDENTIALS");
    }
  });

  it("explains each command with --help, without credentials", async () => {
    for (const name of NAMES) {
      const { exit, out, err } = await run([name, "--help"]);
      assertEquals([exit, err], [0, ""]);
      assertMatch(out, new RegExp(`^gold-partner ${name}`));
      assertStringIncludes(out, "Exit codes: 0 done");
    }
  });

  it("reports wrong usage as one JSON object on stderr, with exit code 2", async () => {
    const file = join(folder, "credentials.json");
    writeFileSync(file, "{");
    const nothing = join(folder, "null.json");
    writeFileSync(nothing, "null");
    const wrong: [string[], RegExp][] = [
      [["balance"], /There is no command "balance"/],
      [["balances", "now"], /takes no arguments; got now. Usage: gold-partner balances/],
      [["order"], /takes QUOTE_ID; got nothing/],
      [["balances", "--at"], /^--at needs a value\. Usage: gold-partner balances/],
      [
        ["quote", "buy", "--grams", "-5"],
        /^--grams needs a value\. If -5 is .*--grams=-5\. Usage: [^\n]*$/,
      ],
      [["balances", "--in", "x"], /^There is no option --in\. Usage: gold-partner balances/],
      [["balances", "--at", "1", "--at", "2"], /--at is given twice/],
      [["balances"], /No credentials: give --credentials FILE, or set GOLD_CREDENTIALS/],
      [["balances", "--credentials", join(folder, "none.json")], /ENOENT/],
      [["trigger", "webhook.test", "--credentials", join(folder, "none.json")], /^--credentials or GOLD_CR/],
      [["doctor", "--credentials", file], /is not JSON/],
      [["balances", "--credentials", nothing], /: it is not a JSON object\.$/],
      [["doctor", "--credentials", nothing], /null\.json is not a JSON object/],
      [["doctor", "--request", "/none"], /^--request names a file that cannot be read: ENOENT/],
      [["listen", "--forward", "http://h", "--ca", "/none"], /^--ca names a file that cannot be read/],
      [["listen", "--forward", "https://h", "--ca", nothing], /^--ca must name a PEM file .*null\.json/],
      [["withdraw", "--amount", "1", "--reference", ""], /^--reference is empty/],
      [["order", "qt_1", "--account-label", ""], /^--account-label is empty/],
    ];
    for (const [argv, says] of wrong) {
      const { exit, out, err } = await run(argv);
      const problem = JSON.parse(err) as { detail: string; exit_code: number };
      assertEquals([exit, out, problem.exit_code], [2, "", 2], argv.join(" "));
      assertMatch(problem.detail, says);
    }
  });

  it("needs a webhook_secret for the commands that sign deliveries", async () => {
    const file = join(folder, "credentials.json");
    for (
      const [members, says] of [["{}", /has no webhook_secret/], [
        '{"webhook_secret":"x"}',
        /whsec_/,
      ]] as const
    ) {
      writeFileSync(file, members);
      const { exit, err } = await run(["check-receiver", "http://localhost:1"], { GOLD_CREDENTIALS: file });
      assertEquals(exit, 2);
      assertMatch(err, says);
    }
  });

  it("looks for files in the caller's folder only if this project's task runner started it", async () => {
    writeFileSync(join(folder, "here.json"), "{}");
    const env = { GOLD_CREDENTIALS: "here.json", INIT_CWD: folder };
    const argv = ["check-receiver", "http://localhost:1"];
    assertMatch((await run(argv, { ...env, RUN_PID: "1" })).err, /has no webhook_secret/);
    assertMatch((await run(argv, env)).err, /ENOENT/);
  });

  it("reports a receiver that is not there with exit code 3", async () => {
    const file = join(folder, "credentials.json");
    writeFileSync(file, JSON.stringify({ webhook_secret: `whsec_${"A".repeat(43)}=` }));
    const { exit, out } = await run(["check-receiver", "http://localhost:1"], { GOLD_CREDENTIALS: file });
    assertEquals(exit, 3);
    assertMatch(out, /^FAILED {2}delivery +gave no answer/);
  });

  it("escapes characters that a terminal would interpret", () => {
    assertEquals(
      tableText([{ name: "a\u001b[2J\u202eb", missing: null }]),
      "name               missing\na\\u001b[2J\\u202eb  -",
    );
    assertEquals(printableJson({ a: "\u0085\u2028", b: 1.5 }), '{"a":"\\u0085\\u2028","b":1.5}');
  });

  it("runs as a program: output on stdout, an error on stderr, and the exit code", () => {
    const main = fileURLToPath(new URL("./main.ts", import.meta.url));
    const start = (...args: string[]) =>
      spawnSync(process.execPath, [...runtimeArguments(main), ...args], { encoding: "utf8" });
    const help = start("--help");
    assertEquals([help.status, help.stderr], [0, ""]);
    assert(help.stdout.endsWith("3 the service does not answer.\n"));
    const wrong = start("nothing");
    assertEquals([wrong.status, wrong.stdout], [2, ""]);
    assertEquals((JSON.parse(wrong.stderr) as { code: string }).code, "usage");
    const full = openSync("/dev/full", "w");
    const lost = spawnSync(process.execPath, [...runtimeArguments(main), "--help"], {
      encoding: "utf8",
      stdio: ["ignore", full, "pipe"],
    });
    closeSync(full);
    assertEquals([lost.status, (JSON.parse(lost.stderr) as { code: string }).code], [3, "output_lost"]);
  });
});

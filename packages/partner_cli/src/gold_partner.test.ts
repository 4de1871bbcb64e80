import { closeSync, openSync, writeFileSync } from "node:fs";
import { spawnSync } from "node:child_process";
import { join } from "node:path";
import process from "node:process";
import { describe, it } from "node:test";
import { fileURLToPath } from "node:url";
import { Quantity } from "@gold-partner/client";
import { buildVersion, type Screen, widthOf } from "@gold-partner/command-line";
import { assert, assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import { runtimeArguments } from "../../../tools/testing/runtime_arguments.ts";
import { goldPartner } from "./gold_partner.ts";
import { findingText, lineText, printableJson, replyText, rowsText } from "./output.ts";
import manifest from "../package.json" with { type: "json" };
import { temporaryFolder } from "../../../tools/testing/temporary_folder.ts";

const NAMES =
  "doctor listen trigger check-receiver prices quote order withdraw cancel balances events statement audit change changes"
    .split(" ");

const NOW = new Date("2026-11-29T20:30:00.000Z");
const screenOf = (columns: number): Screen => ({ columns, hasColor: false, now: NOW });

async function run(argv: readonly string[], env: Record<string, string> = {}, screen?: Screen) {
  const [out, err]: [string[], string[]] = [[], []];
  const exit = await goldPartner(argv, {
    env,
    out: (text) => out.push(text),
    err: (text) => err.push(text),
    ...{ screen, errorScreen: screen },
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

  it("prints its version", async () => {
    for (const name of ["--version", "version"]) {
      assertEquals(await run([name]), {
        exit: 0,
        out: `gold-partner ${buildVersion(manifest.version)}`,
        err: "",
      });
    }
  });

  it("prints help that fits the terminal, and 80 columns without one", async () => {
    for (const screen of [undefined, screenOf(60), screenOf(120)]) {
      for (const argv of [[], ...NAMES.map((name) => [name, "--help"])]) {
        const { out } = await run(argv, {}, screen);
        const wide = out.split("\n").filter((line) => widthOf(line) > (screen?.columns ?? 80));
        assertEquals(wide, [], argv.join(" "));
      }
    }
    const { out } = await run(["quote", "--help"], {}, screenOf(80));
    assertMatch(out, /^gold-partner quote .* \[--reference TEXT\]\n {19}\[--account-label TEXT\]/);
  });

  it("explains each command with --help, without credentials", async () => {
    for (const name of NAMES) {
      const { exit, out, err } = await run([name, "--help"]);
      assertEquals([exit, err], [0, ""]);
      assertMatch(out, new RegExp(`^gold-partner ${name}`));
      assertStringIncludes(out, "Exit codes:\n  0  done\n");
    }
  });

  it("reports wrong usage as one JSON object on stderr, with exit code 2", async () => {
    const file = join(folder, "credentials.json");
    writeFileSync(file, "{");
    const nothing = join(folder, "null.json");
    writeFileSync(nothing, "null");
    const wrong: [string[], RegExp][] = [
      [["balance"], /no command `gold-partner balance`\. Did you mean `gold-partner balances`\? Run /],
      [["withdrawal"], /`gold-partner withdrawal`\. Did you mean `gold-partner withdraw`\?/],
      [["deploy"], /`gold-partner deploy`\. Run `gold-partner --help` for the list/],
      [["--json", "balances"], /^Options must come after the command, as in /],
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
      [
        ["trigger", "withdrawal.payed"],
        /^There is no trigger for .* Did you mean withdrawal\.paid\? Types: /,
      ],
      [["trigger", "webhook.test", "--amount", "1"], /^webhook\.test takes no --amount\. Leave it out\.$/],
      [["trigger", "withdrawal.paid", "--grams", "1"], /^withdrawal\.paid takes no --grams\. Give --amount/],
      [["trigger", "order.executed", "--grams", "1", "--amount", "1"], /^Give either --grams or --amount\.$/],
      [["trigger", "funding.completed", "--amount", "0"], /^--amount must be above 0; got 0\.$/],
      [["trigger", "order.executed", "--grams", "1.00001"], /^--grams is not a quantity\. .*4 decimals/],
      [
        ["listen", "--forward", "http://h", "--type", "order.exectued"],
        /Did you mean order\.executed\? Types/,
      ],
      [
        ["listen", "--forward", "http://h", "--type", "day.*", "--type", "trade.*"],
        /; got "trade\.\*"\. Types/,
      ],
    ];
    for (const [argv, says] of wrong) {
      const { exit, out, err } = await run(argv);
      const problem = JSON.parse(err) as { detail: string; exit_code: number };
      assertEquals([exit, out, problem.exit_code], [2, "", 2], argv.join(" "));
      assertMatch(problem.detail, says);
    }
  });

  it("explains an error in sentences on a terminal, and as JSON with --json", async () => {
    const { exit, out, err } = await run(["balances", "--in", "x"], {}, screenOf(60));
    assertEquals([exit, out], [2, ""]);
    assertEquals(
      err,
      "gold-partner: There is no option --in. Usage: gold-partner\nbalances [--at INSTANT]\n(usage, exit code 2)",
    );
    const json = await run(["balances", "--in", "x", "--json"], {}, screenOf(60));
    assertEquals([json.exit, (JSON.parse(json.err) as { code: string }).code], [2, "usage"]);
    const hostile = await run(["a\u001b[2J"], {}, screenOf(80));
    assertStringIncludes(hostile.err, "`gold-partner a\\u001b[2J`");
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
      rowsText([{ name: "a\u001b[2J\u202eb", missing: null }]),
      "name               missing\na\\u001b[2J\\u202eb  -",
    );
    assertEquals(printableJson({ a: "\u0085\u2028", b: 1.5 }), '{"a":"\\u0085\\u2028","b":1.5}');
  });

  it("fits output to the terminal, with the times of Riyadh, and leaves it as it is without one", () => {
    const row = {
      sequence: 7,
      type: "withdrawal.submitted",
      event_id: "evt_019c1364-6eb8-7020-90c0-f0601000cb9f",
      created_at: "2026-11-29T09:00:00.000Z",
      delivery: "delivered",
      attempts: 1,
      last_answer: 200,
      next_attempt_at: null,
    };
    assertEquals(
      rowsText([row], screenOf(80)),
      [
        "sequence  type          event_id       created_at  delivery   attempts     last_",
        `${" ".repeat(74)}answer`,
        "       7  withdrawal.   evt_…1000cb9f  12:00:00    delivered         1       200",
        "          submitted",
      ].join("\n"),
    );
    assertMatch(rowsText([row]), /^sequence .* next_attempt_at\n7 .*cb9f {2}2026-11-29T09:00:00.000Z .* -$/);
    const reply = { total_sar: Quantity.sar("1234.5"), executed_at: row.created_at, id: row.event_id };
    assertEquals(
      replyText(reply, screenOf(40)),
      [
        "total_sar    1,234.5 SAR",
        "executed_at  29 Nov 2026 12:00:00 +03:00",
        "id           evt_019c1364-6eb8-7020-90c0",
        "             -f0601000cb9f",
      ].join("\n"),
    );
    const next = { ...row, next_attempt_at: `1: -, 2: ${row.created_at}`, detail: `since ${row.created_at}` };
    for (const text of [rowsText([next], screenOf(200)), replyText(next, screenOf(80))]) {
      assertEquals([text.includes("2026-11"), text.split("12:00:00").length], [false, 4], text);
    }
    const expired = { check: "token", result: "ok", detail: `until ${row.created_at}.` } as const;
    assertStringIncludes(findingText(expired, screenOf(80)), "until 29 Nov 2026 12:00:00 +03:00.");
    const finding = {
      check: "clock",
      result: "failed",
      detail: "301 s ahead of it.",
      cure: "Set it.",
    } as const;
    assertEquals(findingText(finding), "FAILED  clock          301 s ahead of it. → Set it.");
    assertEquals(
      findingText(finding, screenOf(45)),
      `FAILED  clock          301 s ahead of it. →\n${" ".repeat(23)}Set it.`,
    );
    const texts = [rowsText([{ ...row, reference: "INVOICE 7" }], screenOf(80)), lineText(row, screenOf(80))];
    for (const text of texts) assert(text.split("\n").every((line) => widthOf(line) <= 80), text);
  });

  it("runs as a program: output on stdout, an error on stderr, and the exit code", () => {
    const main = fileURLToPath(new URL("./main.ts", import.meta.url));
    const start = (...args: string[]) =>
      spawnSync(process.execPath, [...runtimeArguments(main), ...args], { encoding: "utf8" });
    const help = start("--help");
    assertEquals([help.status, help.stderr], [0, ""]);
    assert(help.stdout.endsWith("  3  the service does not answer\n"));
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

import { GoldClient } from "@gold-partner/client";
import { buildVersion, failureText, parseOptions, similar } from "@gold-partner/command-line";
import { resolve } from "node:path";
import process from "node:process";
import type { Command, Finding, Invocation, Result, Terminal } from "./command.ts";
import { AUDIT } from "./commands/audit.ts";
import { CHANGE, CHANGES } from "./commands/changes.ts";
import { CHECK_RECEIVER } from "./commands/check_receiver.ts";
import { DOCTOR } from "./commands/doctor.ts";
import { EVENTS } from "./commands/events.ts";
import { LISTEN } from "./commands/listen.ts";
import { BALANCES, CANCEL, ORDER, QUOTE, STATEMENT, WITHDRAW } from "./commands/trading.ts";
import { PRICES } from "./commands/prices.ts";
import { TRIGGER } from "./commands/trigger.ts";
import { readCredentials } from "./credentials.ts";
import { EXIT, type ExitCode, failureOf, usage } from "./failure.ts";
import { explain, overview } from "./help.ts";
import { findingText, lineText, printable, printableJson, readable, replyText, rowsText } from "./output.ts";
import manifest from "../package.json" with { type: "json" };

const COMMANDS: readonly Command[] = [
  ...[DOCTOR, LISTEN, TRIGGER, CHECK_RECEIVER],
  ...[PRICES, QUOTE, ORDER, WITHDRAW, CANCEL, BALANCES, EVENTS, STATEMENT, AUDIT],
  ...[CHANGE, CHANGES],
];

const COMMON = {
  credentials: { type: "string" },
  json: { type: "boolean" },
  help: { type: "boolean", short: "h" },
} as const;

/**
 * Runs one command of the partner's command line.
 *
 * @param argv The command and its arguments, without the program's name.
 * @param terminal The environment, the output, its screen, the clock and the signal that ends the command.
 * @returns The exit code: 0 done, 1 refused or found a fault, 2 wrong usage or credentials, 3 the service
 * does not answer. It never throws.
 * @example
 * const exit = await goldPartner(["balances", "--json"], terminal);
 */
export async function goldPartner(argv: readonly string[], terminal: Terminal): Promise<ExitCode> {
  const clients: GoldClient[] = [];
  try {
    const [name = "--help", ...args] = argv;
    const command = COMMANDS.find((each) => each.name === name);
    if (!command) {
      terminal.out(explainName(name, terminal));
      return EXIT.done;
    }
    const { values, positionals } = parse(command, args);
    if (values.help) {
      terminal.out(explain(command, terminal.screen));
      return EXIT.done;
    }
    // tools/run.mjs sets RUN_PID, and npm runs it in this project's folder. Then INIT_CWD is the folder in
    // which the person called npm. A script of another package runs in that package's folder, and means files
    // there.
    const called = terminal.env.RUN_PID === undefined ? undefined : terminal.env.INIT_CWD;
    const path = (file: string) => resolve(called ?? process.cwd(), file);
    const file = () => path(fileOf(values.credentials, terminal.env));
    const invocation: Invocation = {
      ...terminal,
      values,
      positionals,
      path,
      credentials: async () => await readCredentials(file()),
      client: async (manner) => {
        const client = await GoldClient.fromCredentials(file(), { now: terminal.now, ...manner });
        clients.push(client);
        return client;
      },
    };
    return await print(await command.run(invocation), values.json === true, terminal);
  } catch (error) {
    return tellFailure(error, terminal, argv.includes("--json"));
  } finally {
    for (const client of clients) client.close();
  }
}

/**
 * Prints an error, and returns the exit code: for a person at a terminal as sentences, else as a JSON object.
 */
export function tellFailure(
  error: unknown,
  { err, errorScreen }: Pick<Terminal, "err" | "errorScreen">,
  isJson: boolean,
): ExitCode {
  const { message: detail, code, exit, facts } = failureOf(error);
  if (errorScreen && !isJson) {
    const notes = Object.entries(facts).filter(([, value]) => value !== undefined)
      .map(([name, value]) => printable(`${name} ${value}`));
    const text = readable(detail, errorScreen);
    err(failureText("gold-partner", text, [`(${code}, exit code ${exit})`, ...notes], errorScreen));
  } else err(printableJson({ title: "The command failed", code, detail, ...facts, exit_code: exit }));
  return exit;
}

/** What a first word asks for that is no command, or an error that says what to type. */
function explainName(name: string, { screen }: Terminal): string {
  if (["help", "--help", "-h"].includes(name)) return overview(COMMANDS, screen);
  if (name === "--version" || name === "version") return `gold-partner ${buildVersion(manifest.version)}`;
  const list = "Run `gold-partner --help` for the list of commands.";
  if (name.startsWith("-")) {
    throw usage(`Options must come after the command, as in \`gold-partner balances --json\`. ${list}`);
  }
  const meant = similar(name.toLowerCase(), COMMANDS.map((command) => command.name));
  throw usage(
    `There is no command \`gold-partner ${name}\`. ` +
      `${meant === undefined ? "" : `Did you mean \`gold-partner ${meant}\`? `}${list}`,
  );
}

function fileOf(option: Invocation["values"][string], env: Terminal["env"]): string {
  const file = option ?? env.GOLD_CREDENTIALS;
  if (typeof file === "string" && file !== "") return file;
  throw usage(
    "No credentials: give --credentials FILE, or set GOLD_CREDENTIALS to the path of a credentials.json.",
  );
}

function parse({ name, usage: shown, takes = [], options = {} }: Command, args: readonly string[]) {
  const wanted = `Usage: gold-partner ${name} ${shown}`.trimEnd();
  let parsed;
  try {
    parsed = parseOptions(args, { ...COMMON, ...options });
  } catch (error) {
    throw usage(`${(error as Error).message} ${wanted}`);
  }
  const { values, positionals } = parsed as { values: Invocation["values"]; positionals: string[] };
  if (!values.help && positionals.length !== takes.length) {
    const given = positionals.length === 0 ? "nothing" : positionals.join(" ");
    throw usage(`gold-partner ${name} takes ${takes.join(" ") || "no arguments"}; got ${given}. ${wanted}`);
  }
  return { values, positionals };
}

async function print(result: Result, json: boolean, terminal: Terminal): Promise<ExitCode> {
  const { out, screen } = terminal;
  if ("lines" in result) {
    for await (const line of result.lines) out(json ? printableJson(line) : lineText(line, screen));
    return EXIT.done;
  }
  if ("findings" in result) return await printFindings(result.findings, json, terminal);
  if ("text" in result) out(result.text);
  else if (json) out(printableJson(result.reply));
  else out(result.rows ? rowsText(result.rows, screen) : replyText(result.reply, screen));
  return EXIT.done;
}

async function printFindings(
  findings: AsyncIterable<Finding>,
  json: boolean,
  { out, screen }: Terminal,
): Promise<ExitCode> {
  const all: Finding[] = [];
  for await (const finding of findings) {
    all.push(finding);
    if (!json) out(findingText(finding, screen));
  }
  const shown = all.map(({ check, result, detail, cure, facts }) => (
    { check, result, detail, cure: cure ?? null, ...facts }
  ));
  if (json) out(printableJson({ items: shown }));
  const first = all.find(({ result }) => result === "failed");
  return first ? first.exit ?? EXIT.refused : EXIT.done;
}

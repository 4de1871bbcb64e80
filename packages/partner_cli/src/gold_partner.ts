import { GoldClient } from "@gold-partner/client";
import { parseOptions } from "@gold-partner/command-line";
import { resolve } from "node:path";
import process from "node:process";
import type { Command, Finding, Invocation, Result, Terminal } from "./command.ts";
import { AUDIT } from "./commands/audit.ts";
import { CHECK_RECEIVER } from "./commands/check_receiver.ts";
import { DOCTOR } from "./commands/doctor.ts";
import { EVENTS } from "./commands/events.ts";
import { LISTEN } from "./commands/listen.ts";
import { BALANCES, ORDER, QUOTE, STATEMENT, WITHDRAW } from "./commands/trading.ts";
import { TRIGGER } from "./commands/trigger.ts";
import { readCredentials } from "./credentials.ts";
import { EXIT, type ExitCode, failureOf, usage } from "./failure.ts";
import { findingText, lineText, printableJson, replyText, tableText } from "./output.ts";

const COMMANDS: readonly Command[] = [
  ...[DOCTOR, LISTEN, TRIGGER, CHECK_RECEIVER],
  ...[QUOTE, ORDER, WITHDRAW, BALANCES, EVENTS, STATEMENT, AUDIT],
];

const COMMON = {
  credentials: { type: "string" },
  json: { type: "boolean" },
  help: { type: "boolean", short: "h" },
} as const;

const COMMON_HELP = `Options of every command:
  --credentials FILE  the partner's credentials.json; default: the file that GOLD_CREDENTIALS names
  --json              prints JSON; errors are JSON on standard error, with and without --json
  -h, --help          explains the command

Exit codes: 0 done, 1 refused or found a fault, 2 wrong usage or credentials, 3 the service does not answer.`;

/**
 * Runs one command of the partner's command line.
 *
 * @param argv The command and its arguments, without the program's name.
 * @param terminal The environment, the output, the clock and the signal that ends the command.
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
      if (!["help", "--help", "-h"].includes(name)) {
        throw usage(`There is no command ${JSON.stringify(name)}. Run gold-partner --help for the list.`);
      }
      terminal.out(overview());
      return EXIT.done;
    }
    const { values, positionals } = parse(command, args);
    if (values.help) {
      terminal.out(helpOf(command));
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
    const { message: detail, code, exit, facts } = failureOf(error);
    terminal.err(
      printableJson({ title: "The command failed", code, detail, ...facts, exit_code: exit }),
    );
    return exit;
  } finally {
    for (const client of clients) client.close();
  }
}

function fileOf(option: string | boolean | undefined, env: Terminal["env"]): string {
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

async function print(result: Result, json: boolean, { out }: Terminal): Promise<ExitCode> {
  if ("lines" in result) {
    for await (const line of result.lines) out(json ? printableJson(line) : lineText(line));
    return EXIT.done;
  }
  if ("findings" in result) return await printFindings(result.findings, json, out);
  if ("text" in result) out(result.text);
  else if (json) out(printableJson(result.reply));
  else out(result.rows ? tableText(result.rows) : replyText(result.reply));
  return EXIT.done;
}

async function printFindings(
  findings: AsyncIterable<Finding>,
  json: boolean,
  out: Terminal["out"],
): Promise<ExitCode> {
  const all: Finding[] = [];
  for await (const finding of findings) {
    all.push(finding);
    if (!json) out(findingText(finding));
  }
  const shown = all.map(({ check, result, detail, cure, facts }) => (
    { check, result, detail, cure: cure ?? null, ...facts }
  ));
  if (json) out(printableJson({ items: shown }));
  const first = all.find(({ result }) => result === "failed");
  return first ? first.exit ?? EXIT.refused : EXIT.done;
}

function overview(): string {
  const lines = COMMANDS.map(({ name, usage, does }) => `  ${`${name} ${usage}`.trimEnd()}\n      ${does}`);
  return [
    "gold-partner: the partner's command line for the Gold Trading Partner Service.",
    `Commands:\n${lines.join("\n")}`,
    COMMON_HELP,
  ].join("\n\n");
}

function helpOf({ name, usage, does, help }: Command): string {
  const first = `gold-partner ${name} ${usage}`.trimEnd();
  return [first, `It ${does}.${help ? `\n${help}` : ""}`, COMMON_HELP].join("\n\n");
}

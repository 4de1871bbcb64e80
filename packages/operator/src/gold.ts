import { resolve } from "node:path";
import process from "node:process";
import {
  buildVersion,
  failureText,
  parseOptions,
  type Screen,
  similar,
  wrap,
} from "@gold-partner/command-line";
import type { Command, Dialog, Result } from "./command.ts";
import { AUDIT_COMMANDS } from "./commands/books/audit.ts";
import { FULL_AUDIT_COMMANDS } from "./commands/books/audit_full.ts";
import { BACKUP_COMMANDS } from "./commands/books/backup.ts";
import { CA_COMMANDS } from "./commands/credentials/ca.ts";
import { CERT_COMMANDS } from "./commands/credentials/cert.ts";
import { CHANGE_COMMANDS } from "./commands/partners/change.ts";
import { CONFIG_COMMANDS } from "./commands/books/config.ts";
import { DB_COMMANDS } from "./commands/books/db.ts";
import { DEPOSIT_COMMANDS } from "./commands/money/deposit.ts";
import { ENDPOINT_COMMANDS } from "./commands/partners/endpoint.ts";
import { EVENT_COMMANDS } from "./commands/partners/event.ts";
import { INVENTORY_COMMANDS } from "./commands/partners/inventory.ts";
import { KEY_COMMANDS } from "./commands/credentials/key.ts";
import { LEDGER_COMMANDS } from "./commands/books/ledger.ts";
import { LOADTEST_COMMANDS } from "./commands/partners/loadtest.ts";
import { OPERATOR_COMMANDS } from "./commands/people/operator.ts";
import { PARTNER_COMMANDS } from "./commands/partners/partner.ts";
import { OPERATOR_KEY_COMMANDS } from "./commands/people/operator_key.ts";
import { REGISTRY_COMMANDS } from "./commands/changes/registry.ts";
import { PROPOSAL_COMMANDS } from "./commands/changes/proposal.ts";
import { PARTNER_CHANGE_COMMANDS } from "./commands/partners/partner_change.ts";
import { MARKET_COMMANDS } from "./commands/prices/market.ts";
import { PRICE_COMMANDS } from "./commands/prices/price.ts";
import { RECOVERY_COMMANDS } from "./commands/books/recovery.ts";
import { REVOCATION_COMMANDS } from "./commands/credentials/revocation.ts";
import { SECRET_COMMANDS } from "./commands/credentials/secret.ts";
import { SIGNING_KEY_COMMANDS } from "./commands/credentials/signing_key.ts";
import { SUBMISSION_COMMANDS } from "./commands/money/submission.ts";
import { CONSOLE_COMMANDS } from "./console/command.ts";
import { DAY_COMMANDS } from "./commands/views/day.ts";
import { FIGURE_COMMANDS } from "./commands/views/figures.ts";
import { FIND_COMMANDS } from "./commands/views/find.ts";
import { INBOX_COMMANDS } from "./commands/views/inbox.ts";
import { STATEMENT_COMMANDS } from "./commands/views/statement.ts";
import { TRADE_COMMANDS } from "./commands/views/trades.ts";
import { WHY_COMMANDS } from "./commands/views/why.ts";
import { VAULT_COMMANDS } from "./commands/money/vault.ts";
import { WEBHOOK_SECRET_COMMANDS } from "./commands/credentials/webhook_secret.ts";
import { WITHDRAWAL_COMMANDS } from "./commands/money/withdrawal.ts";
import { printableJson } from "@gold-partner/server";
import { EXIT, type ExitCode, Failure, failureOf, usage } from "./failure.ts";
import manifest from "../package.json" with { type: "json" };
import { explain, overview, type Task } from "./help.ts";
import { jsonParts, printJson, printText, shownText } from "./output.ts";
import { DEFAULT_STATE, openPerson, type Person } from "./person.ts";
import { resolveId } from "./resolve_ids.ts";
import type { Terminal } from "./terminal.ts";
import { withWorkingLine, type WorkingTerminal } from "./working_line.ts";
import { explainDenied } from "./roles.ts";
import { sshSigner } from "./ssh_key.ts";

/** Every command, by the task that it serves. Help lists them in this order. */
const TASKS: readonly Task[] = [
  {
    title: "See the business",
    commands: [
      ...FIGURE_COMMANDS,
      ...INBOX_COMMANDS,
      ...TRADE_COMMANDS,
      ...STATEMENT_COMMANDS,
      ...FIND_COMMANDS,
      ...WHY_COMMANDS,
      ...DAY_COMMANDS,
      ...CONSOLE_COMMANDS,
    ],
  },
  { title: "Approve", commands: [...PROPOSAL_COMMANDS, ...REGISTRY_COMMANDS] },
  {
    title: "Partners",
    commands: [
      ...PARTNER_COMMANDS,
      ...PARTNER_CHANGE_COMMANDS,
      ...ENDPOINT_COMMANDS,
      ...CHANGE_COMMANDS,
      ...EVENT_COMMANDS,
      ...INVENTORY_COMMANDS,
    ],
  },
  {
    title: "Money and gold",
    commands: [...DEPOSIT_COMMANDS, ...WITHDRAWAL_COMMANDS, ...SUBMISSION_COMMANDS, ...VAULT_COMMANDS],
  },
  { title: "Prices and the market", commands: [...PRICE_COMMANDS, ...MARKET_COMMANDS] },
  {
    title: "Certificates and keys",
    commands: [
      ...CERT_COMMANDS,
      ...REVOCATION_COMMANDS,
      ...CA_COMMANDS,
      ...KEY_COMMANDS,
      ...SECRET_COMMANDS,
      ...WEBHOOK_SECRET_COMMANDS,
      ...SIGNING_KEY_COMMANDS,
    ],
  },
  { title: "Operators", commands: [...OPERATOR_COMMANDS, ...OPERATOR_KEY_COMMANDS] },
  {
    title: "Books and database",
    commands: [
      ...AUDIT_COMMANDS,
      ...FULL_AUDIT_COMMANDS,
      ...LEDGER_COMMANDS,
      ...BACKUP_COMMANDS,
      ...RECOVERY_COMMANDS,
      ...DB_COMMANDS,
      ...CONFIG_COMMANDS,
    ],
  },
  { title: "Load tests", commands: LOADTEST_COMMANDS },
];

export const COMMANDS: readonly Command[] = TASKS.flatMap(({ commands }) => commands);

const COMMON = {
  json: { type: "boolean" },
  yes: { type: "boolean" },
  help: { type: "boolean" },
  version: { type: "boolean" },
  state: { type: "string" },
  "ssh-key": { type: "string" },
} as const;

const DASHED_THUMBPRINT = /^-[A-Za-z0-9_-]{42}$/;

/** Runs one command and returns its exit code. */
export async function gold(given: readonly string[], plain: Terminal): Promise<ExitCode> {
  const terminal = withWorkingLine(plain, given.includes("--json") ? undefined : plain.status);
  let person: Person | undefined;
  try {
    const { argv, isSecond } = readPerson(given);
    const found = findCommand(argv);
    if (!found) {
      print(explainWords(argv, terminal), terminal);
      return EXIT.done;
    }
    const { command } = found;
    const parsed = parse(command, found.rest);
    const { values } = parsed;
    if (values.help) {
      print(explain([command], terminal.screen), terminal);
      return EXIT.done;
    }
    // Prefer INIT_CWD, the folder in which the task was called, because npm and deno run a task in the
    // project's root.
    const path = (file: string) => resolve(terminal.env.INIT_CWD ?? process.cwd(), file);
    person = openPerson({
      env: terminal.env,
      path,
      isSecond,
      stateDir: values.state === undefined ? DEFAULT_STATE : path(`${values.state}`),
      sshKey: values["ssh-key"] === undefined ? undefined : path(`${values["ssh-key"]}`),
    });
    const dialog = dialogOf(terminal, values);
    const result = await runCommand(command, parsed, person, dialog, terminal);
    if (result.rest && values.json) {
      for await (const part of jsonParts(result)) print(part, terminal);
    } // A console printed its result before it served.
    else if (Object.keys(result).length > 0) dialog.print(result);
    if (result.notice && !values.json) dialog.progress(result.notice);
    return result.defects ? EXIT.defect : EXIT.done;
  } catch (error) {
    return tellFailure(await explainDenied(person?.opened(), error), terminal, given.includes("--json"));
  } finally {
    terminal.end();
    await person?.close();
  }
}

/** Runs a command for a person, with the whole ids of its arguments. */
async function runCommand(
  command: Command,
  { values, positionals: typed }: ReturnType<typeof parse>,
  person: Person,
  dialog: Dialog,
  { now, random, ending }: Pick<Terminal, "now" | "random" | "ending">,
): Promise<Result> {
  const { takes = [] } = command;
  const positionals: string[] = [];
  for (const [index, text] of typed.entries()) {
    positionals.push(await resolveId(person.read, takes.at(Math.min(index, takes.length - 1))!, text));
  }
  return await command.run({
    ...person,
    ...dialog,
    ...{ now, random, ending },
    values,
    positionals,
    signer: async () => {
      const sign = sshSigner(await person.findKey(), dialog.progress, dialog);
      return (namespace, text) => dialog.aside(() => sign(namespace, text));
    },
    async again(argv, other) {
      const found = findCommand(argv);
      if (!found) throw usage(`There is no command \`gold ${argv.join(" ")}\`.`);
      const { command, rest } = found;
      try {
        return await runCommand(command, parse(command, rest), person, other, { now, random, ending });
      } catch (error) {
        throw failureOf(await explainDenied(person.opened(), error));
      }
    },
  });
}

/** A dialog with the person at a terminal, or with nobody. */
function dialogOf(terminal: WorkingTerminal, { yes, json }: ReturnType<typeof parse>["values"]): Dialog {
  const { askText } = yes ? {} : terminal;
  return {
    mayUseTerminal: true,
    aside: terminal.aside,
    async confirm(question, onTerminalOnly = false) {
      if (!yes && (terminal.ask || !onTerminalOnly)) await confirmed(question, terminal);
    },
    askText: askText && ((question) => askText(foldQuestion(question, terminal.errorScreen))),
    progress: (text) => terminal.err(foldLines(shownText(text), terminal.errorScreen)),
    print: (result) => print(json ? printJson(result) : printText(result, terminal.screen), terminal),
    show: (result) => terminal.err(printText(result, terminal.errorScreen)),
  };
}

/**
 * Prints the error and returns the exit code: as a sentence for a person at a terminal, else as a problem in
 * JSON.
 */
export function tellFailure(
  error: unknown,
  { err, errorScreen }: Pick<Terminal, "err" | "errorScreen">,
  isJson = false,
): ExitCode {
  const { code, message, exit } = failureOf(error);
  if (errorScreen && !isJson) {
    err(failureText("gold", shownText(message), [`(${code}, exit code ${exit})`], errorScreen));
  } else {
    err(printableJson({ title: "The gold command failed", code, detail: message, exit_code: exit }));
  }
  return exit;
}

/** The room for the answer, and for the [y/N] before it. */
const ANSWER_COLUMNS = 12;
const foldQuestion = (question: string, screen: Screen | undefined): string =>
  screen ? wrap(shownText(question), screen.columns - ANSWER_COLUMNS).join("\n") : shownText(question);

const foldLines = (text: string, screen: Screen | undefined): string =>
  screen ? wrap(text, screen.columns).join("\n") : text;

/** Prints the result or help. If printing fails, the error says that the command itself succeeded. */
function print(text: string, { out }: Terminal): void {
  try {
    out(text);
  } catch (error) {
    throw new Failure(
      EXIT.dependency,
      "answer_lost",
      `The command succeeded, but its output could not be written: ${
        (error as Error).message
      }. If the output held a new secret, that secret is lost: rotate it again.`,
    );
  }
}

/** Reads `--as second`, before or after the command's words: gold then uses the second person's login. */
function readPerson(given: readonly string[]): { argv: readonly string[]; isSecond: boolean } {
  const args = given.flatMap((arg) => arg.startsWith("--as=") ? ["--as", arg.slice("--as=".length)] : [arg]);
  const at = args.indexOf("--as");
  if (at < 0) return { argv: given, isSecond: false };
  const person = args[at + 1] ?? "nothing";
  if (person !== "second") {
    throw usage(`--as must be followed by second; got ${person}. Without --as, you are the first person.`);
  }
  return { argv: args.toSpliced(at, 2), isSecond: true };
}

/** What people look for under a name that no command has. */
const OTHER_WORDS: Readonly<Record<string, string>> = { "market close": "price set --open never" };

/** The verbs that several commands have, and which of them a person means who types the verb alone. */
const MEANT: Readonly<Record<string, string>> = { approve: "proposal approve", reject: "proposal reject" };

/**
 * The command with the most words that the arguments begin with. For people, a verb alone is enough if only one
 * command has it.
 */
function findCommand(argv: readonly string[]): { command: Command; rest: readonly string[] } | undefined {
  const [named] = COMMANDS
    .filter(({ words }) => words.split(" ").every((word, index) => argv[index] === word))
    .sort((a, b) => b.words.length - a.words.length);
  if (named) return { command: named, rest: argv.slice(named.words.split(" ").length) };
  const [verb, ...rest] = argv;
  const [command, ...others] = COMMANDS.filter(({ words }) =>
    MEANT[verb!] === undefined ? words.split(" ").slice(1).join(" ") === verb : words === MEANT[verb!]
  );
  return command && others.length === 0 ? { command, rest } : undefined;
}

/** All commands for a program. */
const listCommands = (): string =>
  printableJson({ commands: COMMANDS.map(({ words, usage, does }) => ({ words, usage, does })) });

/** Help for arguments that begin with no whole command, or an error that says what to type. */
function explainWords(argv: readonly string[], { screen }: Terminal): string {
  const [word] = argv;
  if (word === "--version" || word === "version") return `gold ${buildVersion(manifest.version)}`;
  if (word === undefined || word === "--help" || word === "help") {
    return argv.includes("--json") ? listCommands() : overview(TASKS, screen);
  }
  if (word.startsWith("-")) {
    throw usage(
      "Options must come after the command's words, as in `gold partner list --json`. " +
        "Run `gold --help` for the list of commands.",
    );
  }
  const group = COMMANDS.filter(({ words }) => words.startsWith(`${word} `));
  if (group.length > 0 && (argv[1] ?? "--help").startsWith("-")) return explain(group, screen);
  const typed = argv.filter((one) => !one.startsWith("-")).slice(0, 2).join(" ");
  const words = OTHER_WORDS[typed.toLowerCase()] ??
    similar(typed.toLowerCase(), COMMANDS.map((one) => one.words)) ??
    similar(word.toLowerCase(), [...new Set(COMMANDS.map((one) => one.words.split(" ")[0]!))]);
  throw usage(
    `There is no command \`gold ${typed}\`. ` +
      (words === undefined ? "" : `Did you mean \`gold ${words}\`? `) +
      `Run \`gold ${group.length > 0 ? word : "--help"}\` for the list of commands.`,
  );
}

function parse(command: Command, rest: readonly string[]) {
  const { words, takes = [], options = {} } = command;
  const args = endWithDashed(rest);
  let parsed;
  try {
    parsed = parseOptions(args, { ...COMMON, ...options });
  } catch (error) {
    throw usage(`${(error as Error).message} Usage: gold ${command.usage}`);
  }
  const needed = takes.filter((name) => !name.startsWith("[")).length;
  const { positionals: { length: given } } = parsed;
  const most = takes.at(-1)?.includes("…") ? Infinity : takes.length;
  if (!parsed.values.help && (given < needed || given > most)) {
    throw usage(`gold ${words} takes ${takes.join(" ") || "no arguments"}. Usage: gold ${command.usage}`);
  }
  return parsed;
}

/**
 * Moves thumbprints that begin with a dash behind `--`, because the parser would read them as options.
 * One thumbprint in 64 begins with a dash.
 */
function endWithDashed(args: readonly string[]): string[] {
  const dashed = args.includes("--") ? [] : args.filter((arg) => DASHED_THUMBPRINT.test(arg));
  return dashed.length === 0 ? [...args] : [...args.filter((arg) => !dashed.includes(arg)), "--", ...dashed];
}

async function confirmed(question: string, { ask, errorScreen }: Terminal): Promise<void> {
  if (!ask) {
    throw usage(`${question} There is no terminal to ask on. To confirm, run the command again with --yes.`);
  }
  if (!await ask(foldQuestion(question, errorScreen))) {
    throw new Failure(EXIT.refused, "not_confirmed", "Nothing was done.");
  }
}

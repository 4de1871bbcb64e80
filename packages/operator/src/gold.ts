import { resolve } from "node:path";
import process from "node:process";
import { parseOptions } from "@gold-partner/command-line";
import type { Command, Invocation } from "./command.ts";
import { AUDIT_COMMANDS } from "./commands/books/audit.ts";
import { FULL_AUDIT_COMMANDS } from "./commands/books/audit_full.ts";
import { BACKUP_COMMANDS } from "./commands/books/backup.ts";
import { CA_COMMANDS } from "./commands/credentials/ca.ts";
import { CERT_COMMANDS } from "./commands/credentials/cert.ts";
import { CONFIG_COMMANDS } from "./commands/books/config.ts";
import { DB_COMMANDS } from "./commands/books/db.ts";
import { DEPOSIT_COMMANDS } from "./commands/money/deposit.ts";
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
import { FIGURE_COMMANDS } from "./commands/views/figures.ts";
import { STATEMENT_COMMANDS } from "./commands/views/statement.ts";
import { TRADE_COMMANDS } from "./commands/views/trades.ts";
import { VAULT_COMMANDS } from "./commands/money/vault.ts";
import { WEBHOOK_SECRET_COMMANDS } from "./commands/credentials/webhook_secret.ts";
import { WITHDRAWAL_COMMANDS } from "./commands/money/withdrawal.ts";
import { printable, printableJson } from "@gold-partner/server";
import type { Sql } from "postgres";
import {
  connect,
  connectReader,
  type Db,
  findDatabaseUrl,
  findKeyFile,
  findMigrationUrl,
  findReadUrl,
  findSecondUrl,
  openDb,
} from "./database.ts";
import { EXIT, type ExitCode, Failure, failureOf, usage } from "./failure.ts";
import { openKeyFile } from "./key_file.ts";
import { printJson, printText } from "./output.ts";
import { explainDenied } from "./roles.ts";
import { findSshKey, sshSigner } from "./ssh_key.ts";

export const COMMANDS: readonly Command[] = [
  ...FIGURE_COMMANDS,
  ...TRADE_COMMANDS,
  ...STATEMENT_COMMANDS,
  ...PARTNER_COMMANDS,
  ...PARTNER_CHANGE_COMMANDS,
  ...CA_COMMANDS,
  ...CERT_COMMANDS,
  ...REVOCATION_COMMANDS,
  ...KEY_COMMANDS,
  ...SECRET_COMMANDS,
  ...WEBHOOK_SECRET_COMMANDS,
  ...SIGNING_KEY_COMMANDS,
  ...INVENTORY_COMMANDS,
  ...OPERATOR_COMMANDS,
  ...OPERATOR_KEY_COMMANDS,
  ...REGISTRY_COMMANDS,
  ...PROPOSAL_COMMANDS,
  ...PRICE_COMMANDS,
  ...MARKET_COMMANDS,
  ...VAULT_COMMANDS,
  ...DEPOSIT_COMMANDS,
  ...WITHDRAWAL_COMMANDS,
  ...SUBMISSION_COMMANDS,
  ...EVENT_COMMANDS,
  ...AUDIT_COMMANDS,
  ...FULL_AUDIT_COMMANDS,
  ...LEDGER_COMMANDS,
  ...BACKUP_COMMANDS,
  ...RECOVERY_COMMANDS,
  ...DB_COMMANDS,
  ...CONFIG_COMMANDS,
  ...LOADTEST_COMMANDS,
];

/** Everything outside the process that the command line uses. */
export interface Terminal {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly out: (text: string) => void;
  readonly err: (text: string) => void;
  /** Asks a yes-or-no question. Undefined if there is nobody to ask. */
  readonly ask?: (question: string) => Promise<boolean>;
  /** Asks for a text. Undefined if there is nobody to ask. */
  readonly askText?: (question: string) => Promise<string>;
  readonly now: () => Date;
  readonly random: (length: number) => Uint8Array;
}

const COMMON = {
  json: { type: "boolean" },
  yes: { type: "boolean" },
  help: { type: "boolean" },
  state: { type: "string" },
  "ssh-key": { type: "string" },
} as const;
/**
 * The default state folder of `npm start`. It is relative to the project's root, wherever `gold` is called
 * from.
 */
const DEFAULT_STATE = ".gold";

const DASHED_THUMBPRINT = /^-[A-Za-z0-9_-]{42}$/;

/** Runs one command and returns its exit code. */
export async function gold(given: readonly string[], terminal: Terminal): Promise<ExitCode> {
  let opened: Db | undefined;
  let reader: Sql | undefined;
  try {
    const { argv, isSecond } = readPerson(given);
    const command = findCommand(argv);
    if (!command && (argv.length === 0 || argv.includes("--help"))) {
      print(overview(), terminal);
      return EXIT.done;
    }
    if (!command && argv[0]!.startsWith("-")) {
      throw usage(
        "Options must come after the command's words, as in `gold partner list --json`. Run `gold --help` for the list of commands.",
      );
    }
    if (!command) throw usage("Unknown command. Run `gold --help` for the list of commands.");
    const { values, positionals } = parse(command, argv);
    if (values.help) {
      print(`gold ${command.usage}\n${command.does}`, terminal);
      return EXIT.done;
    }
    const confirm = async (question: string, onTerminalOnly = false) => {
      if (!values.yes && (terminal.ask || !onTerminalOnly)) await confirmed(question, terminal);
    };
    const { askText } = values.yes ? {} : terminal;
    // Prefer INIT_CWD, the folder in which the task was called, because npm and deno run a task in the
    // project's root.
    const path = (file: string) => resolve(terminal.env.INIT_CWD ?? process.cwd(), file);
    const stateDir = values.state === undefined ? DEFAULT_STATE : path(`${values.state}`);
    const databaseUrl = () => (isSecond ? findSecondUrl : findDatabaseUrl)(terminal.env, stateDir);
    const db = async () => opened ??= openDb(connect(await databaseUrl()));
    const progress = (text: string) => terminal.err(printable(text));
    const findKey = async () =>
      values["ssh-key"] === undefined
        ? await findSshKey(terminal.env, stateDir, await databaseUrl(), isSecond)
        : path(`${values["ssh-key"]}`);
    const invocation: Invocation = {
      values,
      positionals,
      db,
      query: async (text, ...parameters) => await (await db()).sql(text, ...parameters),
      read: async (text, ...parameters) => {
        reader ??= connectReader(await findReadUrl(isSecond ? {} : terminal.env, databaseUrl));
        return await reader(text, ...parameters);
      },
      databaseUrl,
      secondDatabaseUrl: () => findSecondUrl(terminal.env, stateDir),
      migrationUrl: () => findMigrationUrl(terminal.env, stateDir),
      keys: openKeyFile(() => findKeyFile(terminal.env, stateDir)),
      signer: async () => sshSigner(await findKey(), progress),
      stateDir,
      path,
      confirm,
      askText: askText && ((question) => askText(printable(question))),
      progress,
      env: terminal.env,
      now: terminal.now,
      random: terminal.random,
    };
    const result = await command.run(invocation);
    print(values.json ? printJson(result) : printText(result), terminal);
    if (result.notice && !values.json) terminal.err(printable(result.notice));
    return result.defects ? EXIT.defect : EXIT.done;
  } catch (error) {
    return tellFailure(await explainDenied(opened?.sql ?? reader, error), terminal);
  } finally {
    await Promise.all([opened?.sql.end({ timeout: 2 }), reader?.end({ timeout: 2 })]);
  }
}

/** Prints the error as a problem and returns the exit code. */
export function tellFailure(error: unknown, { err }: Pick<Terminal, "err">): ExitCode {
  const { code, message, exit } = failureOf(error);
  err(printableJson({ title: "The gold command failed", code, detail: message, exit_code: exit }));
  return exit;
}

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

function findCommand(argv: readonly string[]): Command | undefined {
  return COMMANDS.find(({ words }) => words.split(" ").every((word, index) => argv[index] === word));
}

function parse(command: Command, argv: readonly string[]) {
  const { words, takes = [], options = {} } = command;
  const args = endWithDashed(argv.slice(words.split(" ").length));
  let parsed;
  try {
    parsed = parseOptions(args, { ...COMMON, ...options });
  } catch (error) {
    throw usage(`${(error as Error).message} Usage: gold ${command.usage}`);
  }
  const needed = takes.filter((name) => !name.startsWith("[")).length;
  const { positionals: { length: given } } = parsed;
  if (!parsed.values.help && (given < needed || given > takes.length)) {
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

async function confirmed(question: string, { ask }: Terminal): Promise<void> {
  if (!ask) {
    throw usage(`${question} There is no terminal to ask on. To confirm, run the command again with --yes.`);
  }
  if (!await ask(printable(question))) throw new Failure(EXIT.refused, "not_confirmed", "Nothing was done.");
}

function overview(): string {
  return [
    "gold: the operator's commands. Every command takes --json, --yes, --state DIR, --ssh-key FILE and --help.",
    "With --as second, before or after the command, gold uses the second person's login: SECOND_DATABASE_URL, or that of `npm start`.",
    "",
  ]
    .concat(COMMANDS.map(({ usage, does }) => `  gold ${usage}\n      ${does}`)).join("\n");
}

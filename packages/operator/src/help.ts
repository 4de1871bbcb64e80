import { hang, type Screen, styled, wrap } from "@gold-partner/command-line";
import type { Command } from "./command.ts";

/** The commands of one task, under the title of the task. */
export interface Task {
  readonly title: string;
  readonly commands: readonly Command[];
}

const DEFAULT_COLUMNS = 100;
const INDENT = "  ";

const COMMON_OPTIONS: readonly (readonly [option: string, does: string])[] = [
  ["--json", "print one JSON object"],
  ["--yes", "do not ask for confirmation"],
  ["--as second", "use the second person's login: SECOND_DATABASE_URL, or that of `npm start`"],
  ["--ssh-key FILE", "sign with this SSH key instead of GOLD_SSH_KEY"],
  ["--state DIR", "use the `npm start` that keeps its state in DIR"],
  ["--help", "show how a command is used"],
];

/** All commands by task. Commands that begin with the same word are on one line. */
export function overview(tasks: readonly Task[], screen: Screen | undefined): string {
  const columns = screen?.columns ?? DEFAULT_COLUMNS;
  const bold = (text: string) => styled(screen, "bold", text);
  const lines = tasks.flatMap(({ title, commands }) => [
    "",
    bold(title),
    ...Object.entries(byFirstWord(commands)).flatMap(([word, group]) => {
      const [first] = group as [Command];
      const rest = group.length === 1
        ? first.does
        : group.map(({ words }) => words.slice(word.length + 1)).join(", ");
      const label = (group.length === 1 ? first.words : word).padEnd(LABEL);
      return hang(`${INDENT}${label} `, rest, columns);
    }),
  ]);
  return [
    ...wrap(
      "gold: the operator's commands. `gold partner` explains the commands that begin with partner, and " +
        "`gold partner create --help` explains one command.",
      columns,
    ),
    ...lines,
    "",
    bold("Options of every command"),
    ...COMMON_OPTIONS.flatMap(([option, does]) => hang(`${INDENT}${option.padEnd(LABEL)} `, does, columns)),
  ].join("\n");
}

const LABEL = 17;

function byFirstWord(commands: readonly Command[]): Record<string, Command[]> {
  const groups: Record<string, Command[]> = {};
  for (const command of commands) (groups[command.words.split(" ")[0]!] ??= []).push(command);
  return groups;
}

/** What each of some commands does, with its usage. */
export const explain = (commands: readonly Command[], screen: Screen | undefined): string =>
  commands.map(({ usage, does }) => {
    const columns = screen?.columns ?? DEFAULT_COLUMNS;
    const [first, ...others] = wrap(`gold ${usage}`, columns - INDENT.length);
    return [
      styled(screen, "bold", first!),
      ...others.map((line) => styled(screen, "bold", INDENT + line)),
      ...wrap(does, columns - INDENT.length).map((line) => INDENT + line),
    ].join("\n");
  }).join("\n\n");

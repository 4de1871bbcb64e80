import { hang, type Screen, styled, wrap } from "@gold-partner/command-line";
import type { Command, Term } from "./command.ts";

const DEFAULT_COLUMNS = 80;
const INDENT = "  ";

const COMMON: readonly Term[] = [
  ["--credentials FILE", "the partner's credentials.json; default: the file that GOLD_CREDENTIALS names"],
  ["--json", "prints JSON, and errors as JSON; errors are also JSON if standard error is no terminal"],
  ["-h, --help", "explains the command"],
];
const EXIT_CODES: readonly Term[] = [
  ["0", "done"],
  ["1", "refused or found a fault"],
  ["2", "wrong usage or credentials"],
  ["3", "the service does not answer"],
];

/** All commands, with the options that each of them takes. */
export function overview(commands: readonly Command[], screen: Screen | undefined): string {
  const columns = screen?.columns ?? DEFAULT_COLUMNS;
  const lines = commands.flatMap((command) => [
    ...usageLines(INDENT, command, screen),
    ...hang(INDENT.repeat(3), command.does, columns),
  ]);
  const first = "gold-partner: the partner's command line for the Gold Trading Partner Service. " +
    "`gold-partner COMMAND --help` explains one command, and `gold-partner --version` prints the version.";
  return [
    wrap(first, columns).join("\n"),
    ["Commands:", ...lines].join("\n"),
    ...commonHelp(columns),
  ].join("\n\n");
}

/** How one command is used. */
export function explain(command: Command, screen: Screen | undefined): string {
  const columns = screen?.columns ?? DEFAULT_COLUMNS;
  const { does, help, terms = {} } = command;
  return [
    usageLines("gold-partner ", command, screen).join("\n"),
    wrap(`It ${does}.${help ? `\n${help}` : ""}`, columns).join("\n"),
    ...Object.entries(terms).map(([title, list]) => termsText(title, list, columns)),
    ...commonHelp(columns),
  ].join("\n\n");
}

const commonHelp = (columns: number): readonly string[] => [
  termsText("Options of every command", COMMON, columns),
  termsText("Exit codes", EXIT_CODES, columns),
];

/** The usage, which breaks only between its arguments. */
function usageLines(before: string, { name, usage }: Command, screen: Screen | undefined): string[] {
  const whole = usage.replace(/\[[^\]]*\]|--\S+ [A-Z]+/g, (argument) => argument.replaceAll(" ", "\u00a0"));
  return hang(`${before}${name} `, whole, screen?.columns ?? DEFAULT_COLUMNS)
    .map((line) => styled(screen, "bold", line.replaceAll("\u00a0", " ").trimEnd()));
}

function termsText(title: string, terms: readonly Term[], columns: number): string {
  const width = Math.max(...terms.map(([term]) => term.length));
  const lines = terms.flatMap(([term, meaning]) =>
    hang(`${INDENT}${term.padEnd(width)}  `, meaning, columns)
  );
  return [`${title}:`, ...lines].join("\n");
}

import process from "node:process";
import { config, CONFIG_USAGE } from "./config_command.ts";
import { drain, DRAIN_USAGE } from "./drain/drain.ts";
import { keep, KEEP_USAGE } from "./trust/keep.ts";

const EXIT_USAGE = 2;

interface Command {
  readonly usage: string;
  readonly run: (args: readonly string[]) => Promise<number>;
}

const COMMANDS: Readonly<Record<string, Command>> = {
  config: { usage: CONFIG_USAGE, run: config },
  keep: { usage: KEEP_USAGE, run: keep },
  drain: { usage: DRAIN_USAGE, run: drain },
};

const [name = "", ...args] = process.argv.slice(2);
const command = Object.hasOwn(COMMANDS, name) ? COMMANDS[name] : undefined;
if (name === "--help" || (command && args.includes("--help"))) {
  const shown = command ? [command] : Object.values(COMMANDS);
  for (const { usage } of shown) console.log(usage);
  process.exit(0);
}
if (!command) {
  const fault = name === "" ? "COMMAND is missing." : `There is no command ${JSON.stringify(name)}.`;
  console.error(`${fault} Usage: sidecar ${Object.keys(COMMANDS).join(" | ")}`);
  process.exit(EXIT_USAGE);
}
process.exit(await command.run(args));

import process from "node:process";
import { config } from "./config_command.ts";
import { drain } from "./drain/drain.ts";
import { keep } from "./trust/keep.ts";

const EXIT_USAGE = 2;

const COMMANDS: Readonly<Record<string, (args: readonly string[]) => Promise<number>>> = {
  config,
  keep,
  drain,
};

const [name = "", ...args] = process.argv.slice(2);
const command = Object.hasOwn(COMMANDS, name) ? COMMANDS[name] : undefined;
if (!command) {
  const fault = name === "" ? "COMMAND is missing." : `There is no command ${JSON.stringify(name)}.`;
  console.error(`${fault} Usage: sidecar ${Object.keys(COMMANDS).join(" | ")}`);
  process.exit(EXIT_USAGE);
}
process.exit(await command(args));

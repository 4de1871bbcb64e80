import process from "node:process";

const EXIT_USAGE = 2;

const COMMANDS: Readonly<Record<string, (args: readonly string[]) => Promise<number>>> = {};

const [name = "", ...args] = process.argv.slice(2);
const command = Object.hasOwn(COMMANDS, name) ? COMMANDS[name] : undefined;
if (!command) {
  console.error(`sidecar ${Object.keys(COMMANDS).join(" | ")}`);
  process.exit(EXIT_USAGE);
}
process.exit(await command(args));

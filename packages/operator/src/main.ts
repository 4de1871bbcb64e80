import { createInterface } from "node:readline/promises";
import process from "node:process";
import { gold } from "./gold.ts";

async function ask(question: string): Promise<boolean> {
  const terminal = createInterface({ input: process.stdin, output: process.stderr });
  const answer = await terminal.question(`${question} [y/N] `);
  terminal.close();
  return /^y(es)?$/i.test(answer.trim());
}

process.exitCode = await gold(process.argv.slice(2), {
  env: process.env,
  out: (text) => console.log(text),
  err: (text) => console.error(text),
  ...(process.stdin.isTTY ? { ask } : {}),
  now: () => new Date(),
  random: (length) => crypto.getRandomValues(new Uint8Array(length)),
});

import process from "node:process";
import { gold } from "./gold.ts";
import { askQuestion } from "./question.ts";

const ask = (question: string) => askQuestion(question, process.stdin, process.stderr);

process.exitCode = await gold(process.argv.slice(2), {
  env: process.env,
  out: (text) => console.log(text),
  err: (text) => console.error(text),
  ...(process.stdin.isTTY ? { ask } : {}),
  now: () => new Date(),
  random: (length) => crypto.getRandomValues(new Uint8Array(length)),
});

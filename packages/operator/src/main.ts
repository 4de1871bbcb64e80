import { Buffer } from "node:buffer";
import { writeSync } from "node:fs";
import process from "node:process";
import { gold, tellFailure, type Terminal } from "./gold.ts";
import { askQuestion } from "./question.ts";

const STDOUT = 1;
/** How long a command may take to report an error itself. */
const REPORT_MS = 5_000;

/** At once, so that a full disk or a reader that went away is known while it can still be said. */
function writeWhole(file: number, text: string): void {
  const bytes = Buffer.from(text);
  for (let at = 0; at < bytes.length;) {
    try {
      at += writeSync(file, bytes, at);
    } catch (error) {
      // A pipe that its reader has yet to empty.
      if ((error as NodeJS.ErrnoException).code !== "EAGAIN") throw error;
    }
  }
}

const ask = (question: string) => askQuestion(question, process.stdin, process.stderr);

const terminal: Terminal = {
  env: process.env,
  out: (text) => writeWhole(STDOUT, `${text}\n`),
  err: (text) => console.error(text),
  ...(process.stdin.isTTY ? { ask } : {}),
  now: () => new Date(),
  random: (length) => crypto.getRandomValues(new Uint8Array(length)),
};

// If the server ends the connection of a transaction, postgres.js throws a TypeError outside every promise. The query that was under way
// fails as well: the command reports that error and ends the process before the timer does.
process.on("uncaughtException", (error) => {
  setTimeout(() => process.exit(tellFailure(error, terminal)), REPORT_MS);
});

const code = await gold(process.argv.slice(2), terminal);
// A Deno that is left to end by itself meets its compiler's threads now and then, and dies of that (a segmentation fault).
process.exit(code);

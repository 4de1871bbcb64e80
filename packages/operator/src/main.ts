import { Buffer } from "node:buffer";
import { writeSync } from "node:fs";
import process from "node:process";
import { screenOf } from "@gold-partner/command-line";
import { type ExitCode, isLostTransaction } from "./failure.ts";
import { gold, tellFailure } from "./gold.ts";
import type { Terminal } from "./terminal.ts";
import { withProfile } from "./profile.ts";
import { askQuestion, askText } from "./question.ts";

const STDOUT = 1;
/** Milliseconds that a command has to report an error itself. */
const REPORT_MS = 5_000;

/**
 * Writes synchronously, so that a full disk or a closed
 * pipe is noticed while the command can still report it.
 */
function writeWhole(file: number, text: string): void {
  const bytes = Buffer.from(text);
  for (let at = 0; at < bytes.length;) {
    try {
      at += writeSync(file, bytes, at);
    } catch (error) {
      // Try again after EAGAIN, which means that the pipe is full until its reader empties it.
      if ((error as NodeJS.ErrnoException).code !== "EAGAIN") throw error;
    }
  }
}

const person: Pick<Terminal, "ask" | "askText"> = {
  ask: (question) => askQuestion(question, process.stdin, process.stderr),
  askText: (question) => askText(question, process.stdin, process.stderr),
};

async function run(): Promise<ExitCode> {
  const argv = process.argv.slice(2);
  try {
    return await gold(argv, { ...terminal, env: withProfile(process.env) });
  } catch (error) {
    return tellFailure(error, terminal, argv.includes("--json"));
  }
}

const terminal: Terminal = {
  env: process.env,
  out: (text) => writeWhole(STDOUT, `${text}\n`),
  err: (text) => console.error(text),
  screen: screenOf(process.stdout, process.env),
  errorScreen: screenOf(process.stderr, process.env),
  status: process.stderr.isTTY ? (text) => void process.stderr.write(text) : undefined,
  ...(process.stdin.isTTY ? person : {}),
  now: () => new Date(),
  random: (length) => crypto.getRandomValues(new Uint8Array(length)),
  ...(process.argv[2] === "console" ? { ending: untilSignalled() } : {}),
};

/** A console ends its service and removes its files when it is signalled. */
function untilSignalled(): AbortSignal {
  const ending = new AbortController();
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"]) process.once(signal, () => ending.abort());
  return ending.signal;
}

// If the query in flight fails, the command reports its error before the timer does.
process.on("uncaughtException", (error) => {
  const isDriver = isLostTransaction(error);
  // The console goes on. Its next page connects again.
  if (isDriver && process.argv[2] === "console") return;
  const lost = Object.assign(new Error("the server closed it"), { code: "CONNECTION_CLOSED" });
  setTimeout(() => process.exit(tellFailure(isDriver ? lost : error, terminal)), REPORT_MS);
});

const code = await run();
// Exit explicitly. If Deno ends by itself while its compiler is still working, it sometimes dies of a
// segmentation fault.
process.exit(code);

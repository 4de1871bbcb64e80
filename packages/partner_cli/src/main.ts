#!/usr/bin/env node
// The program `gold-partner`.
import process from "node:process";
import { screenOf } from "@gold-partner/command-line";
import type { Terminal } from "./command.ts";
import { EXIT, Failure } from "./failure.ts";
import { goldPartner, tellFailure } from "./gold_partner.ts";

function untilStopped(): AbortSignal {
  const ending = new AbortController();
  for (const signal of ["SIGINT", "SIGTERM"] as const) process.once(signal, () => ending.abort());
  return ending.signal;
}

/** Ends the program, because its output cannot be written. */
function endUnread({ code, message }: NodeJS.ErrnoException): never {
  // If the reader of the output, such as `head`, closed the pipe, nobody needs the rest.
  if (code === "EPIPE") process.exit(EXIT.done);
  const lost = new Failure(EXIT.dependency, "output_lost", `The output could not be written: ${message}.`);
  process.exit(tellFailure(lost, terminal, argv.includes("--json")));
}

const argv = process.argv.slice(2);
const terminal: Terminal = {
  env: process.env,
  out(text) {
    try {
      process.stdout.write(`${text}\n`);
    } catch (error) {
      endUnread(error as Error); // Deno throws the error of a file.
    }
  },
  err: (text) => void process.stderr.write(`${text}\n`),
  screen: screenOf(process.stdout, process.env),
  errorScreen: screenOf(process.stderr, process.env),
  now: Date.now,
  untilStopped,
};

process.stdout.on("error", endUnread);
const exit = await goldPartner(argv, terminal);
// Wait until the output is written. Output to a pipe may still be buffered, and process.exit() would drop it.
// After an error, endUnread() ends the process.
process.stdout.write("", (error) => error ?? process.exit(exit));

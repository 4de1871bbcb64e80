#!/usr/bin/env node
// The program `gold-partner`.
import process from "node:process";
import { EXIT } from "./failure.ts";
import { goldPartner } from "./gold_partner.ts";
import { printableJson } from "./output.ts";

function untilStopped(): AbortSignal {
  const ending = new AbortController();
  for (const signal of ["SIGINT", "SIGTERM"] as const) process.once(signal, () => ending.abort());
  return ending.signal;
}

/** Ends the program, because its output cannot be written. */
function endUnread({ code, message }: NodeJS.ErrnoException): never {
  // If the reader of the output, such as `head`, closed the pipe, nobody needs the rest.
  if (code === "EPIPE") process.exit(EXIT.done);
  const detail = `The output could not be written: ${message}.`;
  const exit_code = EXIT.dependency;
  console.error(printableJson({ title: "The command failed", code: "output_lost", detail, exit_code }));
  process.exit(exit_code);
}

process.stdout.on("error", endUnread);

const exit = await goldPartner(process.argv.slice(2), {
  env: process.env,
  out(text) {
    try {
      process.stdout.write(`${text}\n`);
    } catch (error) {
      endUnread(error as Error); // Deno throws the error of a file.
    }
  },
  err: (text) => void process.stderr.write(`${text}\n`),
  now: Date.now,
  untilStopped,
});
// Wait until the output is written. Output to a pipe may still be buffered, and process.exit() would drop it.
// After an error, endUnread() ends the process.
process.stdout.write("", (error) => error ?? process.exit(exit));

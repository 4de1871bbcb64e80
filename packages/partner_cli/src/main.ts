#!/usr/bin/env node
// The program `gold-partner`.
import process from "node:process";
import { goldPartner } from "./gold_partner.ts";

const write = (stream: NodeJS.WriteStream) => (text: string) => void stream.write(`${text}\n`);

function untilStopped(): AbortSignal {
  const ending = new AbortController();
  for (const signal of ["SIGINT", "SIGTERM"] as const) process.once(signal, () => ending.abort());
  return ending.signal;
}

// Exit if the reader of the output, such as `head`, closes the pipe: nobody reads the rest.
process.stdout.on("error", () => process.exit(0));

const exit = await goldPartner(process.argv.slice(2), {
  env: process.env,
  out: write(process.stdout),
  err: write(process.stderr),
  now: Date.now,
  untilStopped,
});
// Wait until the output is written. Output to a pipe may still be buffered, and process.exit() would drop it.
process.stdout.write("", () => process.exit(exit));

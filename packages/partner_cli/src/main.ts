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

// A reader such as `head` may close the pipe early. Nobody reads the rest, so the program ends.
process.stdout.on("error", () => process.exit(0));

const exit = await goldPartner(process.argv.slice(2), {
  env: process.env,
  out: write(process.stdout),
  err: write(process.stderr),
  now: Date.now,
  untilStopped,
});
// Waits until the output is written: a pipe takes it later, and process.exit() would drop it.
process.stdout.write("", () => process.exit(exit));

import { Buffer } from "node:buffer";
import { closeSync, openSync, writeSync } from "node:fs";
import type { GoldClient } from "@gold-partner/client";
import { failureText } from "@gold-partner/command-line";
import type { Invocation, Term } from "./command.ts";
import { usage } from "./failure.ts";
import { printable, printableJson } from "./output.ts";
import { optional } from "./values.ts";

export const RECORD = { record: { type: "string" } } as const;
export const RECORD_TERM: Term = [
  "--record FILE",
  "appends each signed request and its reply to FILE, for `gold-partner audit --requests FILE`.",
];

/** Opens a client that appends its signed exchanges to the file of `--record`, one JSON object on a line. */
export async function recordingClient(
  { values, client, path, err, errorScreen }: Invocation,
): Promise<GoldClient> {
  const file = optional(values, "record");
  if (file === undefined) return await client();
  const append = (text: string) => {
    const opened = openSync(path(file), "a", 0o600);
    try {
      const bytes = Buffer.from(text);
      // A disk that becomes full cuts a write short without an error. The next write then fails.
      for (let at = 0; at < bytes.length;) at += writeSync(opened, bytes, at);
    } finally {
      closeSync(opened);
    }
  };
  try {
    append("");
  } catch (error) {
    throw usage(`--record names a file that cannot be written: ${(error as Error).message}.`);
  }
  return await client({
    onExchange: (exchange) => {
      const line = JSON.stringify(exchange);
      try {
        append(`${line}\n`);
      } catch (error) {
        // The request is sent already. Print the line, so that the evidence is not lost.
        const { message: detail } = error as Error;
        if (errorScreen && !values.json) {
          const text = `The exchange was not recorded: ${detail}. Add the next line to ${file}.`;
          err(`${failureText("gold-partner", printable(text), [], errorScreen)}\n${printableJson(exchange)}`);
        } else err(printableJson({ title: "The exchange was not recorded", detail, exchange }));
      }
    },
  });
}

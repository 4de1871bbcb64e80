import { execFile } from "node:child_process";
import { readFile } from "node:fs/promises";
import { promisify } from "node:util";
import { programEnvironment } from "./program_environment.ts";

const run = promisify(execFile);

/** Where a key is, never the key: `file:PATH` or `command:PROGRAM ARGUMENT…`, whose output it is. */
export type KeySource = `file:${string}` | `command:${string}`;

const KEY_BYTES = 32;

/** What a source gives is no key (`malformed`, whoever configures it mends that), or its program gave nothing (`failed`). */
export class KeySourceError extends Error {
  override readonly name: string = "KeySourceError";
  readonly code: "key_source_malformed" | "key_source_failed";

  constructor(code: KeySourceError["code"], message: string, options?: ErrorOptions) {
    super(message, options);
    this.code = code;
  }
}

export function isKeySource(text: string): text is KeySource {
  return /^(?:file|command):./.test(text);
}

/** The keys of a source, one a line in hex, the current one first: older ones stay readable while they rotate out. */
export async function readKeys(source: KeySource): Promise<Uint8Array[]> {
  const keys = (await readSource(source)).split("\n").map((line) => line.trim()).filter((line) =>
    line !== ""
  );
  if (keys.length === 0 || !keys.every((key) => /^[0-9a-f]{64}$/.test(key))) {
    throw new KeySourceError(
      "key_source_malformed",
      `${source} must give keys of ${KEY_BYTES} bytes, one a line, in lower-case hex (openssl rand -hex 32).`,
    );
  }
  return keys.map((key) => Uint8Array.from(key.match(/../g) ?? [], (byte) => parseInt(byte, 16)));
}

async function readSource(source: KeySource): Promise<string> {
  const place = source.slice(source.indexOf(":") + 1);
  if (source.startsWith("file:")) return await readFile(place, "utf8");
  const [program = "", ...words] = place.split(" ");
  const options = { timeout: 10_000, env: programEnvironment() };
  const { stdout } = await run(program, words, options).catch((cause: Error) => {
    throw new KeySourceError("key_source_failed", `${source} gives no key: ${cause.message.trim()}.`, {
      cause,
    });
  });
  return stdout;
}

import { Buffer } from "node:buffer";
import { execFile } from "node:child_process";
import { readFile } from "node:fs/promises";
import { promisify } from "node:util";
import { programEnvironment } from "./program_environment.ts";

const run = promisify(execFile);

/**
 * Where a key comes from, never the key itself: a file (`file:PATH`), or a program that prints the key
 * (`command:PROGRAM ARGUMENT…`).
 */
export type KeySource = `file:${string}` | `command:${string}`;

const KEY_BYTES = 32;

/**
 * `key_source_malformed`: the content of the source is not a list of keys. `key_source_unreadable`: its file
 * cannot be read. `key_source_failed`: its program failed.
 */
export class KeySourceError extends Error {
  override readonly name: string = "KeySourceError";
  readonly code: "key_source_malformed" | "key_source_unreadable" | "key_source_failed";

  constructor(code: KeySourceError["code"], message: string, options?: ErrorOptions) {
    super(message, options);
    this.code = code;
  }
}

export function isKeySource(text: string): text is KeySource {
  return /^(?:file|command):./.test(text);
}

/**
 * Reads the keys of a source: one per line in hex, the current key first, then older keys during a rotation.
 * A program gets `environment`.
 */
export async function readKeys(
  source: KeySource,
  environment: NodeJS.ProcessEnv = programEnvironment(),
): Promise<Uint8Array[]> {
  const keys = (await readSource(source, environment)).split("\n").map((line) => line.trim()).filter((line) =>
    line !== ""
  );
  if (keys.length === 0 || !keys.every((key) => /^[0-9a-f]{64}$/.test(key))) {
    throw new KeySourceError(
      "key_source_malformed",
      `${source} must contain ${KEY_BYTES}-byte keys in lower-case hex, one per line (openssl rand -hex 32).`,
    );
  }
  return keys.map((key) => Uint8Array.from(key.match(/../g) ?? [], (byte) => parseInt(byte, 16)));
}

/** Returns the name by which the database refers to a key: the first 8 bytes of its SHA-256, in hex. */
export async function nameOfKey(key: Uint8Array): Promise<string> {
  const digest = new Uint8Array(await crypto.subtle.digest("SHA-256", new Uint8Array(key)));
  return Buffer.from(digest.subarray(0, 8)).toString("hex");
}

async function readSource(source: KeySource, env: NodeJS.ProcessEnv): Promise<string> {
  const place = source.slice(source.indexOf(":") + 1);
  const failWith = (code: KeySourceError["code"]) => (cause: Error): never => {
    throw new KeySourceError(code, `${source} returned no key: ${cause.message.trim()}.`, { cause });
  };
  if (source.startsWith("file:")) {
    return await readFile(place, "utf8").catch(failWith("key_source_unreadable"));
  }
  const [program = "", ...words] = place.split(" ");
  const options = { timeout: 10_000, env };
  const { stdout } = await run(program, words, options).catch(failWith("key_source_failed"));
  return stdout;
}

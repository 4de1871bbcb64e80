import { closeSync, fstatSync, openSync, readFileSync } from "node:fs";
import { stat } from "node:fs/promises";
import { isAbsolute, resolve } from "node:path";
import process from "node:process";
import { type JsonValue, readJson } from "@gold-partner/canonical";
import { isKeySource, type KeySource } from "@gold-partner/server";
import { EXIT, Failure, usage } from "./failure.ts";
import { PRIVATE_FILE, replaceFile } from "./new_file.ts";

/**
 * The name of a key. The key of an authority has the fingerprint of the authority's certificate in its name.
 */
export type KeyName = "pepper" | "sealing_key" | `ca:${string}`;

const KEY_NAME = /^(?:pepper|sealing_key|ca:[0-9a-f]{64})$/;
const ROOT = 0;
const WRITABLE_BY_OTHERS = 0o022;
const PERMISSIONS = 0o777;

/** The local file that says where each key is. No key place is ever read from the database. */
export interface KeyFile {
  /** Returns where the key is, or undefined if no file names it. */
  find(name: KeyName): Promise<KeySource | undefined>;
  /** Returns where the key is. If no file names it, throws and says what to do. */
  locate(name: KeyName): Promise<KeySource>;
  /** Writes where the key is into the file. Undefined removes the name. */
  record(name: KeyName, source: KeySource | undefined): Promise<void>;
}

/** Opens a key file. `findPath` returns undefined if this person has none. */
export function openKeyFile(findPath: () => Promise<string | undefined>): KeyFile {
  const find = async (name: KeyName) => {
    const path = await findPath();
    return path === undefined ? undefined : readKeyFile(path).get(name);
  };
  return {
    find,
    async locate(name) {
      const source = await find(name);
      if (source !== undefined) return source;
      const path = await findPath();
      if (path === undefined) throw noKeyFile();
      const file = await exists(path) ? `${path} does not name "${name}"` : `${path} does not exist`;
      throw unknown(`${file}, so gold does not know where this key is. ${adviseOn(name)}`);
    },
    async record(name, source) {
      const path = await findPath();
      if (path === undefined) throw noKeyFile();
      if (source !== undefined) checkSource(source, `The place of "${name}"`);
      const entries = readKeyFile(path);
      if (entries.get(name) === source) return;
      if (source === undefined) entries.delete(name);
      else entries.set(name, source);
      const mode = await stat(path).then(({ mode }) => mode & PERMISSIONS, () => PRIVATE_FILE);
      const text = `${JSON.stringify(Object.fromEntries(entries), null, 2)}\n`;
      await replaceFile(path, text, mode).catch((error: Error) => {
        throw usage(`The place of "${name}" was not recorded: ${path} cannot be written: ${error.message}.`);
      });
    },
  };
}

/** Throws unless the text is a source whose file or program has an absolute path. */
export function checkSource(text: string, what: string): KeySource {
  if (!isKeySource(text)) {
    throw usage(`${what} must be file:PATH or command:PROGRAM, never the key itself.`);
  }
  const [place = ""] = placeOf(text).split(text.startsWith("file:") ? "\0" : " ");
  if (isAbsolute(place)) return text;
  throw usage(`${what} must have an absolute path after "file:" or "command:"; got ${place}.`);
}

/** The file, or the program with its arguments, without the source's prefix. */
export const placeOf = (source: KeySource): string => source.slice(source.indexOf(":") + 1);

/** Reads the whole file strictly. A file that does not exist has no entries. */
function readKeyFile(path: string): Map<string, KeySource> {
  const bytes = readTrusted(path);
  if (bytes === undefined) return new Map();
  const names = Object.entries(parse(path, bytes));
  const entries = new Map<string, KeySource>();
  for (const [name, place] of names) {
    if (!KEY_NAME.test(name)) {
      throw invalid(
        path,
        `names an unknown key "${name}". The names are pepper, sealing_key and ca:FINGERPRINT.`,
      );
    }
    if (typeof place !== "string") {
      throw invalid(path, `must have a text for "${name}": file:PATH or command:PROGRAM.`);
    }
    try {
      entries.set(name, checkSource(place, `"${name}"`));
    } catch (error) {
      throw invalid(path, `has an invalid place. ${(error as Error).message}`);
    }
  }
  return entries;
}

/**
 * Reads the file's bytes. Refuses a file of another person, or one that other people may write: they could
 * make gold run their program. Checks the open file, so that nobody can replace it after the check. All calls
 * are synchronous: on Deno 2.9, `stat` of an asynchronous handle failed rarely with EBADF.
 */
function readTrusted(path: string): Uint8Array | undefined {
  const descriptor = openIfExists(path);
  if (descriptor === undefined) return undefined;
  try {
    const { uid, mode } = fstatSync(descriptor);
    const self = process.getuid?.();
    // Windows has neither owners nor modes of this kind.
    if (self !== undefined && uid !== self && uid !== ROOT) {
      throw invalid(path, `belongs to user ${uid}. It must belong to you or to root.`);
    }
    if (self !== undefined && (mode & WRITABLE_BY_OTHERS) !== 0) {
      throw invalid(path, `may be written by other users. Run: chmod go-w ${path}`);
    }
    return readFileSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
}

function openIfExists(path: string): number | undefined {
  try {
    return openSync(path, "r");
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return undefined;
    throw invalid(path, `cannot be read: ${(error as Error).message}.`);
  }
}

function parse(path: string, bytes: Uint8Array): { readonly [name: string]: JsonValue } {
  let value: JsonValue;
  try {
    value = readJson(bytes);
  } catch (error) {
    throw invalid(path, `is not JSON that gold accepts: ${(error as Error).message}`);
  }
  if (typeof value === "object" && value !== null && !Array.isArray(value)) {
    return value as { readonly [name: string]: JsonValue };
  }
  throw invalid(path, "must be one JSON object that maps key names to places.");
}

const exists = (path: string) => stat(path).then(() => true, () => false);

/** Reads GOLD_KEYS. A relative path would name another file in each folder. */
export function readKeysSetting(text: string): string {
  if (isAbsolute(text)) return resolve(text);
  throw usage(`GOLD_KEYS must be an absolute path; got ${text}.`);
}

const adviseOn = (name: KeyName): string =>
  name.startsWith("ca:")
    ? `Record it: gold ca move-key ${name.slice("ca:".length)} --key FILE`
    : `Add it: "${name}": "file:/PATH".`;

const unknown = (message: string) => new Failure(EXIT.usage, "key_place_unknown", message);

const invalid = (path: string, message: string) =>
  new Failure(EXIT.usage, "key_file_invalid", `The key file ${path} ${message}`);

const noKeyFile = () =>
  unknown(
    "GOLD_KEYS is not set, so gold does not know where the keys are. The database does not say it. Set GOLD_KEYS to the absolute path of a JSON file that only you can write: " +
      '{"pepper": "file:/PATH", "sealing_key": "file:/PATH", "ca:FINGERPRINT": "file:/PATH"}. See "The key file" in docs/operator/setup.md.',
  );

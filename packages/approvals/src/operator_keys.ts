import { parsePublicKey, type SshPublicKey, SshsigError } from "@gold-partner/sshsig";

/** A key and the time in which its login may sign with it, in Unix milliseconds. */
export interface OperatorKey {
  readonly login: string;
  readonly key: SshPublicKey;
  readonly fromMs: number;
  readonly untilMs: number;
}

const LINE = /^(\S+) +(?:valid-before="([^"]*)" +)?(\S+ +\S+)(?: .*)?$/;
const VALID_BEFORE = /^(\d{4})(\d\d)(\d\d)(?:(\d\d)(\d\d)(\d\d))?Z$/;

/**
 * Reads the file of the first operators' keys, which is stored outside the database. Its form is that of
 * OpenSSH's allowed signers: `LOGIN ssh-ed25519 AAAA…`, with `valid-before="20261231Z"` after the login for a
 * lost key. Throws an Error that names the line.
 */
export async function parseOperatorKeys(text: string): Promise<readonly OperatorKey[]> {
  const keys: OperatorKey[] = [];
  for (const [index, line] of text.split(/\r?\n/).entries()) {
    if (/^\s*(?:#|$)/.test(line)) continue;
    const fail = (why: string) => new Error(`Line ${index + 1} of the operators' keys ${why}`);
    const [, login, before, publicKey] = LINE.exec(line) ?? [];
    if (login === undefined || publicKey === undefined) throw fail("must be LOGIN ssh-ed25519 AAAA….");
    const key = await parsePublicKey(publicKey).catch((error: Error) => {
      throw error instanceof SshsigError ? fail(`has no valid key. ${error.message}`) : error;
    });
    if (keys.some((one) => one.key.fingerprint === key.fingerprint)) {
      throw fail(`repeats the key ${key.fingerprint}. Use a different key for each person.`);
    }
    const untilMs = before === undefined ? Infinity : readValidBefore(before);
    if (Number.isNaN(untilMs)) {
      throw fail(`must have valid-before="YYYYMMDDZ" or "YYYYMMDDHHMMSSZ"; got ${before}.`);
    }
    keys.push({ login, key, fromMs: -Infinity, untilMs });
  }
  if (new Set(keys.map(({ login }) => login)).size >= 2) return keys;
  throw new Error("The operators' keys must be of at least two logins, because two people sign each change.");
}

function readValidBefore(text: string): number {
  const [, year, month, day, hour = "00", minute = "00", second = "00"] = VALID_BEFORE.exec(text) ?? [];
  const instant = `${year}-${month}-${day}T${hour}:${minute}:${second}`;
  const ms = Date.parse(`${instant}Z`);
  // Date.parse() reads 31 February as 3 March.
  return !Number.isNaN(ms) && new Date(ms).toISOString() === `${instant}.000Z` ? ms : NaN;
}

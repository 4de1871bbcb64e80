import { parsePublicKey, type SshPublicKey, SshsigError } from "./sshsig/mod.ts";

/** A key and the time in which its login may sign with it, in Unix milliseconds. */
export interface OperatorKey {
  readonly login: string;
  readonly key: SshPublicKey;
  readonly fromMs: number;
  readonly untilMs: number;
}

/** The deployment that the file is about. */
export interface Deployment {
  readonly id: string;
  readonly baseUrl: string;
  readonly name: string;
}

/** An id that the deployment, or the one that it was copied from, had before. */
interface EarlierDeployment {
  readonly id: string;
  /** When the id ended, in Unix milliseconds. */
  readonly endedMs: number;
  /** The last row of the audit trail under this id, and its link of the hash chain. */
  readonly audit: { readonly id: string; readonly head: string };
}

/** What the file of OPERATOR_KEYS says. */
export interface OperatorKeys {
  readonly deployment: Deployment;
  readonly earlier: readonly EarlierDeployment[];
  readonly keys: readonly OperatorKey[];
}

/** These two lines are comments for OpenSSH, and for release 0.5.0, which may read the same file. */
const DEPLOYMENT_LINE = /^# deployment (\S+) +(https:\/\/\S+) +(\S.*?) *$/;
const EARLIER_LINE =
  /^# earlier deployment (\S+) until (\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z) (\d{1,18}) ([0-9a-f]{64}) *$/;
const DEPLOYMENT_ID = /^(?:sandbox|production)-[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;
const LINE = /^(\S+) +(?:valid-before="([^"]*)" +)?(\S+ +\S+)(?: .*)?$/;
const VALID_BEFORE = /^(\d{4})(\d\d)(\d\d)(?:(\d\d)(\d\d)(\d\d))?Z$/;

/**
 * Reads the file of OPERATOR_KEYS, which is stored outside the database. It names the deployment, and has the
 * operators' first keys in the form of OpenSSH's allowed signers:
 *
 *     # deployment production-6f1c… https://api.example.com Riyadh
 *     amal ssh-ed25519 AAAA…
 *     badr valid-before="20261231Z" ssh-ed25519 AAAA…
 *
 * `valid-before` is for a lost key. Throws an Error that names the line.
 */
export async function parseOperatorKeys(text: string): Promise<OperatorKeys> {
  const keys: OperatorKey[] = [];
  const deployments: Deployment[] = [];
  const earlier: EarlierDeployment[] = [];
  for (const [index, line] of text.split(/\r?\n/).entries()) {
    const fail = (why: string) => new Error(`Line ${index + 1} of the operators' keys ${why}`);
    if (line.startsWith("# deployment ")) {
      const [, id, baseUrl, name] = DEPLOYMENT_LINE.exec(line) ?? [];
      if (!id || !DEPLOYMENT_ID.test(id) || !baseUrl || !name) {
        throw fail("must be # deployment ID https://BASE_URL NAME. `gold db status` prints the id.");
      }
      deployments.push({ id, baseUrl, name });
    } else if (line.startsWith("# earlier deployment ")) {
      const [, id, at, audit, head] = EARLIER_LINE.exec(line) ?? [];
      const endedMs = Date.parse(`${at}`);
      if (!id || !audit || !head || Number.isNaN(endedMs)) {
        throw fail(
          "must be # earlier deployment ID until INSTANT AUDIT_ID HEAD, as `gold db new-id` prints it.",
        );
      }
      earlier.push({ id, endedMs, audit: { id: audit, head } });
    } else if (!/^\s*(?:#|$)/.test(line)) keys.push(await readKey(line, keys, fail));
  }
  if (new Set(keys.map(({ login }) => login)).size < 2) {
    throw new Error(
      "The operators' keys must be of at least two logins, because two people sign each change.",
    );
  }
  const [deployment, other] = deployments;
  if (!deployment || other) {
    throw new Error(
      `The operators' keys must have one line # deployment ID https://BASE_URL NAME; got ${deployments.length}. ` +
        "`gold db status` prints the id. Compare it with the file of another person.",
    );
  }
  return { deployment, earlier, keys };
}

async function readKey(
  line: string,
  keys: readonly OperatorKey[],
  fail: (why: string) => Error,
): Promise<OperatorKey> {
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
  return { login, key, fromMs: -Infinity, untilMs };
}

function readValidBefore(text: string): number {
  const [, year, month, day, hour = "00", minute = "00", second = "00"] = VALID_BEFORE.exec(text) ?? [];
  const instant = `${year}-${month}-${day}T${hour}:${minute}:${second}`;
  const ms = Date.parse(`${instant}Z`);
  // Date.parse() reads 31 February as 3 March.
  return !Number.isNaN(ms) && new Date(ms).toISOString() === `${instant}.000Z` ? ms : NaN;
}

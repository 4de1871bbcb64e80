import { dirname, resolve } from "node:path";
import { usage } from "./failure.ts";
import { readNamed } from "./named_file.ts";

/** The members of a `credentials.json` that the commands read. `cert`, `key`, `ca` are absolute paths. */
export interface Credentials {
  readonly file: string;
  readonly base_url?: string;
  readonly client_id?: string;
  readonly cert?: string;
  readonly key?: string;
  readonly ca?: string;
  readonly signing_key?: string;
  readonly webhook_secret?: string;
}

const PATHS = ["cert", "key", "ca"] as const;

/**
 * Reads a `credentials.json`. Each command checks the members that it needs. The client checks the members
 * that its calls need.
 */
export async function readCredentials(file: string): Promise<Credentials> {
  const text = new TextDecoder().decode(await readNamed("--credentials or GOLD_CREDENTIALS", file));
  let members: unknown;
  try {
    members = JSON.parse(text);
  } catch {
    // The message of JSON.parse() can quote a part of the file, and with it a secret.
    throw usage(`${file} is not JSON. Give the credentials.json of this environment.`);
  }
  if (typeof members !== "object" || members === null) {
    throw usage(`${file} is not a JSON object. Give the credentials.json of this environment.`);
  }
  const texts = Object.entries(members).filter(([, value]) => typeof value === "string");
  const credentials = Object.fromEntries(texts) as Record<string, string>;
  for (const name of PATHS) {
    if (credentials[name] !== undefined) credentials[name] = resolve(dirname(file), credentials[name]);
  }
  return { ...credentials, file };
}

/** Returns a member, or throws a usage error that names it. */
export function memberOf(credentials: Credentials, name: keyof Credentials): string {
  const value = credentials[name];
  if (value) return value;
  throw usage(`${credentials.file} has no ${name}. Add it; the operator gave it to you.`);
}

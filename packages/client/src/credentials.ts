import { readFile } from "node:fs/promises";
import { dirname, resolve } from "node:path";
import { GoldError } from "./gold_error.ts";
import type { GoldClientOptions } from "./options.ts";

/**
 * The members of `credentials.json`. `cert`, `key`, `ca` and `signing_key` are paths of files. In a file, a
 * relative path starts at the file's folder; in a value passed by code, at the working directory.
 */
export interface CredentialsFile {
  readonly base_url: string;
  readonly client_id: string;
  readonly client_secret: string;
  readonly cert: string;
  readonly key: string;
  readonly ca?: string | undefined;
  readonly signing_key?: string | undefined;
  /** Thumbprints of your other certificates and signing keys, for `knownThumbprints` of the client. */
  readonly known_thumbprints?: readonly string[] | undefined;
}

type Identity = Pick<
  GoldClientOptions,
  "baseUrl" | "clientId" | "clientSecret" | "cert" | "key" | "ca" | "signingKey" | "knownThumbprints"
>;

/** Each option with its member of the file, its environment variable, its kind and whether it is required. */
const NAMES = [
  { option: "baseUrl", member: "base_url", variable: "GOLD_BASE_URL", is: "text", needed: true },
  { option: "clientId", member: "client_id", variable: "GOLD_CLIENT_ID", is: "text", needed: true },
  {
    option: "clientSecret",
    member: "client_secret",
    variable: "GOLD_CLIENT_SECRET",
    is: "text",
    needed: true,
  },
  { option: "cert", member: "cert", variable: "GOLD_CERT", is: "file", needed: true },
  { option: "key", member: "key", variable: "GOLD_KEY", is: "file", needed: true },
  { option: "ca", member: "ca", variable: "GOLD_CA", is: "file", needed: false },
  { option: "signingKey", member: "signing_key", variable: "GOLD_SIGNING_KEY", is: "file", needed: false },
] as const;

const FILE_VARIABLE = "GOLD_CREDENTIALS";

/**
 * Reads the credentials from environment variables. GOLD_CREDENTIALS is the path of a credentials.json. A
 * single variable such as GOLD_BASE_URL overrides the file's member.
 */
export async function readEnvironment(env: Readonly<Record<string, string | undefined>>): Promise<Identity> {
  const file = env[FILE_VARIABLE] || undefined;
  const members = file === undefined ? {} : await readCredentialsFile(file, `${FILE_VARIABLE}: `);
  const single = NAMES.map(({ member, variable }) => [member, env[variable] || undefined] as const);
  const given = Object.fromEntries(single.filter(([, value]) => value !== undefined));
  const nameOf = ({ variable }: typeof NAMES[number]) =>
    file === undefined ? variable : `${variable} (or its member in ${file})`;
  const more = file === undefined ? ` Or set ${FILE_VARIABLE} to the path of a credentials.json.` : "";
  return await readIdentity({ ...members, ...given }, nameOf, more);
}

/** Reads the credentials from the `credentials.json` at a path, or from an object with the same members. */
export async function readCredentials(source: string | CredentialsFile): Promise<Identity> {
  const members = typeof source === "string" ? await readCredentialsFile(source, "") : source;
  return await readIdentity({ ...members }, ({ member }) => member, "");
}

async function readCredentialsFile(path: string, before: string): Promise<Record<string, unknown>> {
  try {
    // Some editors write a byte order mark, which JSON.parse() refuses.
    const text = (await readFile(path, "utf8")).replace(/^\ufeff/, "");
    const members = JSON.parse(text) as Record<string, unknown> | null;
    if (typeof members !== "object" || members === null) throw new Error("it is not a JSON object");
    const files = NAMES.filter(({ is, member }) => is === "file" && typeof members[member] === "string");
    const found = files.map(({ member }) => [member, resolve(dirname(path), members[member] as string)]);
    return { ...members, ...Object.fromEntries(found) };
  } catch (cause) {
    // The message of JSON.parse() can quote a part of the file, which contains the secret.
    const why = cause instanceof SyntaxError ? "it is not JSON" : (cause as Error).message;
    throw new GoldError(
      "configuration_invalid",
      `${before}${path} cannot be read as credentials.json: ${why}.`,
    );
  }
}

async function readIdentity(
  given: Readonly<Record<string, unknown>>,
  nameOf: (name: typeof NAMES[number]) => string,
  more: string,
): Promise<Identity> {
  const mistakes: string[] = [];
  const read = await Promise.all(NAMES.map(async (name) => {
    const value = given[name.member];
    if (typeof value !== "string" || value === "") {
      if (value !== undefined) mistakes.push(`${nameOf(name)} must be a text that is not empty.`);
      else if (name.needed) mistakes.push(`${nameOf(name)} is missing.`);
      return [name.option, undefined] as const;
    }
    if (name.is === "text") return [name.option, value] as const;
    const text = await readFile(value, "utf8").catch((cause: Error) => {
      mistakes.push(`${nameOf(name)} names a file that cannot be read: ${cause.message}.`);
      return undefined;
    });
    return [name.option, text] as const;
  }));
  const { known_thumbprints: knownThumbprints } = given;
  if (knownThumbprints !== undefined && !isTexts(knownThumbprints)) {
    mistakes.push("known_thumbprints must be a list of texts.");
  }
  if (mistakes.length === 0) return { ...Object.fromEntries(read), knownThumbprints } as unknown as Identity;
  throw new GoldError(
    "configuration_invalid",
    `The client's credentials are incomplete. ${mistakes.join(" ")}${more}`,
  );
}

const isTexts = (value: unknown): value is string[] =>
  Array.isArray(value) && value.every((text) => typeof text === "string");

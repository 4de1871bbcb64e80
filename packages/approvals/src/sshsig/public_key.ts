import { importVerifyingKey, JwsError } from "@gold-partner/jws";
import { SshsigError } from "./errors.ts";
import { concat, decodeBase64, encodeBase64, hash, WireReader } from "./wire.ts";

type CryptoKey = Parameters<typeof crypto.subtle.verify>[1];

const TYPES = {
  "ssh-ed25519": { curve: "Ed25519", isHardware: false },
  "ecdsa-sha2-nistp256": { curve: "P-256", isHardware: false },
  "sk-ssh-ed25519@openssh.com": { curve: "Ed25519", isHardware: true },
  "sk-ecdsa-sha2-nistp256@openssh.com": { curve: "P-256", isHardware: true },
} as const;

export type SshKeyType = keyof typeof TYPES;

/** A public key in OpenSSH's form. */
export interface SshPublicKey {
  readonly type: SshKeyType;
  /** Type and base64, without a comment: the one spelling of this key. */
  readonly text: string;
  /** `SHA256:` and unpadded base64, as `ssh-keygen -l` prints it. */
  readonly fingerprint: string;
  readonly blob: Uint8Array;
  readonly curve: "Ed25519" | "P-256";
  /** What a security key signs for, such as `ssh:`. Undefined for a key in a file. */
  readonly application: string | undefined;
  readonly key: CryptoKey;
}

const ED25519_BYTES = 32;
const POINT_BYTES = 65;
const P256_NAME = "nistp256";

/**
 * Reads one line of a `.pub` file. A comment after the key is ignored.
 *
 * @throws {SshsigError} `key_type_unsupported`: the key is of another type, such as ssh-rsa.
 * @throws {SshsigError} `key_malformed`: the line is not a public key, or the key is invalid.
 */
export async function parsePublicKey(line: string): Promise<SshPublicKey> {
  const [, type, base64] = /^(\S+) +(\S+)(?: [^\r\n]*)?\r?\n?$/.exec(line) ?? [];
  if (type === undefined || base64 === undefined) {
    throw malformed(
      line.includes("PRIVATE KEY")
        ? "This is a private key. Give the public key, which is in the file that ends in .pub."
        : "A public key must be one line, such as `ssh-ed25519 AAAA… comment`.",
    );
  }
  const supported = typeOf(type);
  return await readPublicKey(decodeBase64(base64, "key_malformed"), supported);
}

/** Reads a key as it stands in a signature. With `expected`, the key must be of this type. */
export async function readPublicKey(blob: Uint8Array, expected?: SshKeyType): Promise<SshPublicKey> {
  const reader = new WireReader(blob, "key_malformed");
  const type = typeOf(reader.text());
  if (expected !== undefined && type !== expected) {
    throw malformed(
      `The line says ${expected}, but the key is of type ${type}. Copy the line without changes.`,
    );
  }
  const { curve, isHardware } = TYPES[type];
  let key: CryptoKey;
  if (curve === "Ed25519") {
    key = await importEd25519(reader.string());
  } else {
    const name = reader.text();
    if (name !== P256_NAME) throw malformed(`The key's curve is ${name}; it must be ${P256_NAME}.`);
    key = await importP256(reader.string());
  }
  const application = isHardware ? reader.text() : undefined;
  reader.end();
  const fingerprint = `SHA256:${encodeBase64(await hash("SHA-256", blob)).replace(/=+$/, "")}`;
  return { type, text: `${type} ${encodeBase64(blob)}`, fingerprint, blob, curve, application, key };
}

function typeOf(text: string): SshKeyType {
  if (Object.hasOwn(TYPES, text)) return text as SshKeyType;
  throw new SshsigError(
    "key_type_unsupported",
    `Keys of type ${text.slice(0, 64)} are not supported. Make one with \`ssh-keygen -t ed25519\`, ` +
      "or with `ssh-keygen -t ed25519-sk` on a security key.",
  );
}

async function importEd25519(point: Uint8Array): Promise<CryptoKey> {
  if (point.length !== ED25519_BYTES) throw malformed("An Ed25519 key must have 32 bytes.");
  try {
    return await crypto.subtle.importKey("raw", concat(point), "Ed25519", true, ["verify"]);
  } catch (cause) {
    throw malformed("The Ed25519 key is invalid.", cause);
  }
}

async function importP256(point: Uint8Array): Promise<CryptoKey> {
  if (point.length !== POINT_BYTES || point[0] !== 4) {
    throw malformed("A P-256 key must be an uncompressed point.");
  }
  const coordinate = (from: number) =>
    encodeBase64(point.slice(from, from + 32)).replaceAll("+", "-").replaceAll("/", "_").replace("=", "");
  try {
    return await importVerifyingKey({ kty: "EC", crv: "P-256", x: coordinate(1), y: coordinate(33) });
  } catch (cause) {
    if (!(cause instanceof JwsError)) throw cause;
    throw malformed("The P-256 key is not a point of the curve.", cause);
  }
}

const malformed = (message: string, cause?: unknown) => new SshsigError("key_malformed", message, { cause });

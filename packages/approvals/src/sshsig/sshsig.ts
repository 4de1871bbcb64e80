// SSHSIG as OpenSSH's PROTOCOL.sshsig describes it, and the signatures of security keys as PROTOCOL.u2f does.
import { SshsigError } from "./errors.ts";
import { readPublicKey, type SshPublicKey } from "./public_key.ts";
import { concat, decodeBase64, hash, uint32, utf8, WireReader, wireString } from "./wire.ts";

const MAGIC = "SSHSIG";
const VERSION = 1;
const HASHES: Readonly<Record<string, "SHA-256" | "SHA-512">> = { sha256: "SHA-256", sha512: "SHA-512" };
const SCALAR_BYTES = 32;
const ED25519_SIGNATURE_BYTES = 64;
/** The flag of a security key: a person touched it. */
const USER_PRESENT = 0x01;
const ARMOR = /^-----BEGIN SSH SIGNATURE-----\n((?:[A-Za-z0-9+/=]{1,76}\n)+)-----END SSH SIGNATURE-----\n?$/;

/** A signature in OpenSSH's form. Reading it does not verify it. */
export interface Sshsig {
  readonly publicKey: SshPublicKey;
  readonly namespace: string;
  readonly hashName: string;
  readonly signature: Uint8Array;
}

/**
 * Reads what `ssh-keygen -Y sign` writes.
 *
 * @throws {SshsigError} The text is not a signature of version 1 with SHA-256 or SHA-512 and a supported key.
 */
export async function parseSshsig(armored: string): Promise<Sshsig> {
  const body = ARMOR.exec(armored)?.[1];
  if (body === undefined) {
    throw new SshsigError(
      "armor_malformed",
      "The signature must be the text that `ssh-keygen -Y sign` writes, from its BEGIN line to its END line.",
    );
  }
  const reader = new WireReader(decodeBase64(body.replaceAll("\n", ""), "armor_malformed"), "blob_malformed");
  if (new TextDecoder().decode(reader.bytes(MAGIC.length)) !== MAGIC) {
    throw new SshsigError("blob_malformed", `The signature must begin with ${MAGIC}.`);
  }
  const version = reader.uint32();
  if (version !== VERSION) {
    throw new SshsigError(
      "version_unsupported",
      `The signature's version is ${version}; it must be ${VERSION}.`,
    );
  }
  const publicKey = await readPublicKey(reader.string());
  const namespace = reader.text();
  if (reader.string().length > 0) {
    throw new SshsigError("blob_malformed", "The reserved field must be empty.");
  }
  const hashName = reader.text();
  if (!Object.hasOwn(HASHES, hashName)) {
    throw new SshsigError(
      "hash_unsupported",
      `The hash is ${hashName.slice(0, 64)}; it must be sha512 or sha256.`,
    );
  }
  const signature = reader.string();
  reader.end();
  return { publicKey, namespace, hashName, signature };
}

/**
 * Verifies that `key` signed `message` for `namespace`.
 *
 * @throws {SshsigError} The signature is malformed or does not hold; `reason` says why.
 */
export async function verifySshsig(
  armored: string,
  { key, message, namespace }: {
    readonly key: SshPublicKey;
    readonly message: string;
    readonly namespace: string;
  },
): Promise<void> {
  const sshsig = await parseSshsig(armored);
  if (sshsig.publicKey.text !== key.text) {
    throw new SshsigError(
      "key_mismatch",
      `The signature is of the key ${sshsig.publicKey.fingerprint}; it must be of ${key.fingerprint}.`,
    );
  }
  if (sshsig.namespace !== namespace) {
    throw new SshsigError(
      "namespace_mismatch",
      `The signature's namespace is ${JSON.stringify(sshsig.namespace)}; it must be ${namespace}.`,
    );
  }
  const digest = await hash(HASHES[sshsig.hashName]!, utf8(message));
  const signed = concat(
    utf8(MAGIC),
    ...[namespace, "", sshsig.hashName].map(wireString),
    wireString(digest),
  );
  if (await isSignature(sshsig, key, signed)) return;
  throw new SshsigError("signature_mismatch", `The key ${key.fingerprint} did not sign this text.`);
}

async function isSignature({ signature }: Sshsig, key: SshPublicKey, signed: Uint8Array): Promise<boolean> {
  const reader = new WireReader(signature, "blob_malformed");
  const type = reader.text();
  if (type !== key.type) {
    throw new SshsigError(
      "signature_type_mismatch",
      `The signature's type is ${type.slice(0, 64)}; it must be ${key.type}.`,
    );
  }
  const raw = readRaw(reader.string(), key);
  let data = concat(signed);
  if (key.application !== undefined) {
    const flags = reader.byte();
    const counter = reader.uint32();
    if ((flags & USER_PRESENT) === 0) {
      throw new SshsigError(
        "user_absent",
        "Nobody touched the security key for this signature. Sign again, and touch it.",
      );
    }
    const [application, digest] = [
      await hash("SHA-256", utf8(key.application)),
      await hash("SHA-256", signed),
    ];
    data = concat(application, Uint8Array.of(flags), uint32(counter), digest);
  }
  reader.end();
  const algorithm = key.curve === "Ed25519" ? { name: "Ed25519" } : { name: "ECDSA", hash: "SHA-256" };
  return await crypto.subtle.verify(algorithm, key.key, concat(raw), data);
}

function readRaw(signature: Uint8Array, { curve }: SshPublicKey): Uint8Array {
  if (curve === "Ed25519") {
    if (signature.length === ED25519_SIGNATURE_BYTES) return signature;
    throw new SshsigError(
      "blob_malformed",
      `An Ed25519 signature must have ${ED25519_SIGNATURE_BYTES} bytes.`,
    );
  }
  const reader = new WireReader(signature, "blob_malformed");
  const raw = concat(reader.scalar(SCALAR_BYTES), reader.scalar(SCALAR_BYTES));
  reader.end();
  return raw;
}

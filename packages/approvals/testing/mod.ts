/** Keys and signatures made in software, also those of security keys, for the tests of all packages. */
import { parsePublicKey, type SshKeyType, type SshPublicKey } from "../src/sshsig/mod.ts";
import { concat, encodeBase64, hash, uint32, utf8, wireString } from "../src/sshsig/wire.ts";

const APPLICATION = "ssh:";
const TOUCHED = 0x01;

interface Choices {
  readonly namespace: string;
  readonly hashName?: string;
  readonly flags?: number;
  readonly version?: number;
  readonly reserved?: string;
  /** The type that the signature states. */
  readonly signatureType?: string;
  /** Bytes after the end of the blob, and of the inner signature. */
  readonly trailing?: Uint8Array;
  readonly trailingSignature?: Uint8Array;
}

export interface SoftwareKey {
  readonly publicKey: SshPublicKey;
  sign(message: string, choices: Choices): Promise<string>;
}

/** Makes a key of any supported type. A security key's signature is computed as the hardware would. */
export const newSoftwareKey = (type: SshKeyType = "ssh-ed25519"): Promise<SoftwareKey> => newKey(type);

/**
 * Makes a key whose signatures name another person's key. They are invalid, but Postgres cannot know that.
 */
export const forgeKey = (stated: SshPublicKey): Promise<SoftwareKey> => newKey(stated.type, stated);

async function newKey(type: SshKeyType, stated?: SshPublicKey): Promise<SoftwareKey> {
  const isEd25519 = type.includes("ed25519");
  const isHardware = type.startsWith("sk-");
  const algorithm = isEd25519 ? { name: "Ed25519" } : { name: "ECDSA", namedCurve: "P-256", hash: "SHA-256" };
  const pair = await crypto.subtle.generateKey(algorithm, true, ["sign", "verify"]) as {
    readonly privateKey: Parameters<typeof crypto.subtle.sign>[1];
    readonly publicKey: Parameters<typeof crypto.subtle.sign>[1];
  };
  const point = new Uint8Array(await crypto.subtle.exportKey("raw", pair.publicKey));
  const blob = concat(
    ...[type, ...(isEd25519 ? [] : ["nistp256"]), point, ...(isHardware ? [APPLICATION] : [])].map(
      wireString,
    ),
  );
  const publicKey = stated ?? await parsePublicKey(`${type} ${encodeBase64(blob)}`);
  return {
    publicKey,
    async sign(message, choices) {
      const { namespace, hashName = "sha512", flags = TOUCHED, version = 1, reserved = "" } = choices;
      const digest = await hash(hashName === "sha256" ? "SHA-256" : "SHA-512", utf8(message));
      const signed = concat(utf8("SSHSIG"), ...[namespace, reserved, hashName, digest].map(wireString));
      const tail = isHardware ? concat(Uint8Array.of(flags), uint32(7)) : new Uint8Array();
      const data = isHardware
        ? concat(await hash("SHA-256", utf8(APPLICATION)), tail, await hash("SHA-256", signed))
        : signed;
      const raw = new Uint8Array(await crypto.subtle.sign(algorithm, pair.privateKey, data));
      const inner = isEd25519 ? raw : concat(...[raw.slice(0, 32), raw.slice(32)].map(mpint).map(wireString));
      const { signatureType = type, trailing = new Uint8Array(), trailingSignature = new Uint8Array() } =
        choices;
      const signature = concat(wireString(signatureType), wireString(inner), tail, trailingSignature);
      return armor(concat(
        utf8("SSHSIG"),
        uint32(version),
        ...[publicKey.blob, namespace, reserved, hashName, signature].map(wireString),
        trailing,
      ));
    },
  };
}

export function armor(blob: Uint8Array): string {
  const lines = encodeBase64(blob).match(/.{1,70}/g)!;
  return `-----BEGIN SSH SIGNATURE-----\n${lines.join("\n")}\n-----END SSH SIGNATURE-----\n`;
}

function mpint(number: Uint8Array): Uint8Array {
  const digits = number.slice(number.findIndex((byte) => byte !== 0));
  return digits[0]! >= 0x80 ? concat(Uint8Array.of(0), digits) : digits;
}

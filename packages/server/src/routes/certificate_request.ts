import { Buffer } from "node:buffer";
import { createHash, createPublicKey, verify } from "node:crypto";
import { importVerifyingKey } from "@gold-partner/jws";

const [BIT_STRING, SEQUENCE] = [0x03, 0x30];
const ECDSA_WITH_SHA256 = Buffer.from("300a06082a8648ce3d040302", "hex");

/**
 * Checks that a certificate request has a P-256 key and is signed with it. `gold change take` reads the request again,
 * with its subject, before a certificate is issued.
 *
 * @returns the SHA-256 of the key (SubjectPublicKeyInfo), in hexadecimal.
 * @throws Error if the text is anything else.
 */
export async function checkCertificateRequest(pem: string): Promise<string> {
  const der = Buffer.from(pem.replace(/-----[^-]+-----/g, ""), "base64");
  const [request, ...others] = elementsOf(der);
  const [signed, algorithm, signature, ...more] = elementsOf(contentOf(request, SEQUENCE));
  const [, , key] = elementsOf(contentOf(signed, SEQUENCE));
  if (others.length + more.length > 0) throw new RangeError("something follows the request");
  if (!algorithm?.whole.equals(ECDSA_WITH_SHA256)) throw new Error("it is not signed by ECDSA with SHA-256");
  contentOf(key, SEQUENCE);
  const spki = key!.whole;
  await importVerifyingKey(
    `-----BEGIN PUBLIC KEY-----\n${spki.toString("base64")}\n-----END PUBLIC KEY-----\n`,
  );
  const publicKey = createPublicKey({ key: spki, format: "der", type: "spki" });
  // The first byte counts the unused bits.
  const [unused, ...bits] = contentOf(signature, BIT_STRING);
  if (unused !== 0 || !verify("sha256", signed!.whole, publicKey, Buffer.from(bits))) {
    throw new Error("its signature does not verify with its own key");
  }
  return createHash("sha256").update(spki).digest("hex");
}

interface Element {
  readonly tag: number;
  readonly whole: Buffer;
  readonly content: Buffer;
}

function contentOf(element: Element | undefined, tag: number): Buffer {
  if (element?.tag === tag) return element.content;
  throw new RangeError("it is not a PKCS #10 certificate request");
}

/** Splits DER into its elements. Throws if the bytes end within an element, or an element is 64 KiB or longer. */
function elementsOf(der: Buffer): Element[] {
  const found: Element[] = [];
  for (let at = 0; at < der.length;) {
    const first = der[at + 1] ?? 0xff;
    const lengthBytes = first < 0x80 ? 0 : first - 0x80;
    const start = at + 2 + lengthBytes;
    const isLengthKnown = lengthBytes <= 2 && start <= der.length;
    const end = start + (lengthBytes === 0 ? first : isLengthKnown ? der.readUIntBE(at + 2, lengthBytes) : 0);
    if (!isLengthKnown || end > der.length) throw new RangeError("it is not complete DER");
    found.push({ tag: der.readUInt8(at), whole: der.subarray(at, end), content: der.subarray(start, end) });
    at = end;
  }
  return found;
}

import { BIT_STRING, DerReader, INTEGER, OBJECT_IDENTIFIER, OCTET_STRING, SEQUENCE, tagged } from "./der.ts";
import { JwsError } from "./errors.ts";
import { checkPoint } from "./jwk.ts";
import { isScalar, POINT_BYTES, SCALAR_BYTES } from "./p256.ts";

/**
 * A private number, and the public points in its file (none, one or two). The caller checks whether the
 * points belong to the number.
 */
export interface PrivateKey {
  readonly d: Uint8Array;
  readonly points: readonly Uint8Array[];
}

/** The tag of the public key in a PrivateKeyInfo: [1] IMPLICIT BIT STRING. */
const PKCS8_PUBLIC_KEY = 0x81;
const EC_PUBLIC_KEY = "1.2.840.10045.2.1";
const PRIME256V1 = "1.2.840.10045.3.1.7";

// The DER of a P-256 PrivateKeyInfo up to its private number, without attributes and without the public key.
// deno-fmt-ignore -- an element a line
const PKCS8_BEFORE_D = Uint8Array.of(
  0x30, 0x41,
  0x02, 0x01, 0x00,
  0x30, 0x13, 0x06, 0x07, 0x2a, 0x86, 0x48, 0xce, 0x3d, 0x02, 0x01,
              0x06, 0x08, 0x2a, 0x86, 0x48, 0xce, 0x3d, 0x03, 0x01, 0x07,
  0x04, 0x27, 0x30, 0x25, 0x02, 0x01, 0x01, 0x04, 0x20,
);

/** Reads the public point of a SubjectPublicKeyInfo (RFC 5480). */
export function readSpki(der: Uint8Array): Uint8Array {
  const outer = new DerReader(der, "key_malformed");
  const info = outer.enter(SEQUENCE);
  outer.end();
  readAlgorithm(info);
  return readLastPoint(info);
}

/** Reads the private number and the public points of a PrivateKeyInfo (RFC 5958). */
export function readPkcs8(der: Uint8Array): PrivateKey {
  const outer = new DerReader(der, "key_malformed");
  const info = outer.enter(SEQUENCE);
  outer.end();
  const version = readVersion(info, [0, 1]);
  readAlgorithm(info);
  const { d, points } = readSec1(info.read(OCTET_STRING), true);
  // Skip attributes, because they do not describe the key itself.
  if (info.tag === tagged(0)) info.read(tagged(0));
  const more = version === 1 && info.tag === PKCS8_PUBLIC_KEY ? [readPoint(info.read(PKCS8_PUBLIC_KEY))] : [];
  info.end();
  return { d, points: [...points, ...more] };
}

/**
 * Reads the private number and the public point of an ECPrivateKey (RFC 5915). With `curveIsNamed`, the
 * enclosing PrivateKeyInfo names the curve, so the ECPrivateKey may leave it out.
 */
export function readSec1(der: Uint8Array, curveIsNamed = false): PrivateKey {
  const outer = new DerReader(der, "key_malformed");
  const key = outer.enter(SEQUENCE);
  outer.end();
  readVersion(key, [1]);
  const d = key.read(OCTET_STRING);
  if (key.tag === tagged(0)) checkCurve(key.enter(tagged(0)));
  else if (!curveIsNamed) throw unsupported("it does not name its curve");
  checkPrivateNumber(d);
  const points = key.tag === tagged(1) ? [readLastPoint(key.enter(tagged(1)))] : [];
  key.end();
  return { d, points };
}

/**
 * Writes a PrivateKeyInfo that every Web Crypto imports. It leaves out the public key. Web Crypto then
 * computes the public key, so it cannot be wrong.
 */
export function writePkcs8(d: Uint8Array): Uint8Array<ArrayBuffer> {
  const der = new Uint8Array(PKCS8_BEFORE_D.length + SCALAR_BYTES);
  der.set(PKCS8_BEFORE_D);
  der.set(d, PKCS8_BEFORE_D.length);
  return der;
}

export function checkPrivateNumber(d: Uint8Array): void {
  if (d.length === SCALAR_BYTES && isScalar(d)) return;
  throw new JwsError(
    "key_malformed",
    "The private number must be 32 bytes with a value from 1 to the order of P-256 minus 1. Use the unchanged " +
      "key file.",
  );
}

function readAlgorithm(info: DerReader): void {
  const algorithm = info.enter(SEQUENCE);
  if (readOid(algorithm) !== EC_PUBLIC_KEY) throw unsupported("it is not an elliptic-curve key");
  checkCurve(algorithm);
}

/** Throws unless the unread rest of `parameters` is exactly the name of P-256. */
function checkCurve(parameters: DerReader): void {
  if (parameters.tag === SEQUENCE) {
    throw unsupported(
      "it lists the parameters of its curve instead of naming the curve (openssl: -param_enc named_curve)",
    );
  }
  if (parameters.tag !== OBJECT_IDENTIFIER) throw unsupported("it does not name its curve");
  const curve = readOid(parameters);
  parameters.end();
  if (curve !== PRIME256V1) throw unsupported(`its curve is ${curve}`);
}

function readVersion(key: DerReader, known: readonly number[]): number {
  const [version = -1, ...more] = key.read(INTEGER);
  if (more.length === 0 && known.includes(version)) return version;
  throw new JwsError(
    "key_malformed",
    `The private key's version must be ${known.join(" or ")}; this format has no others. ` +
      "Use the unchanged key file.",
  );
}

/** Reads a public key, which must be the last element in `holder`. */
function readLastPoint(holder: DerReader): Uint8Array {
  const point = readPoint(holder.read(BIT_STRING));
  holder.end();
  return point;
}

function readPoint(bits: Uint8Array): Uint8Array {
  const [unusedBits, ...point] = bits;
  if (unusedBits !== 0) throw new JwsError("key_malformed", "The public key is not a whole number of bytes.");
  if (point.length !== POINT_BYTES) {
    throw unsupported("its public point is compressed (openssl: -conv_form uncompressed)");
  }
  return checkPoint(Uint8Array.from(point));
}

/**
 * Reads an OBJECT IDENTIFIER as dotted text. The first byte is split correctly only if the second arc is
 * below 40, as it is in both accepted identifiers.
 */
function readOid(reader: DerReader): string {
  const [first = 0, ...bytes] = reader.read(OBJECT_IDENTIFIER);
  const arcs = [Math.floor(first / 40), first % 40];
  let arc = 0;
  for (const byte of bytes) {
    if (arc === 0 && byte === 0x80) throw malformedOid();
    arc = arc * 128 + (byte & 0x7f);
    if (byte < 0x80) {
      arcs.push(arc);
      arc = 0;
    }
  }
  if (arc !== 0) throw malformedOid();
  return arcs.join(".");
}

function malformedOid(): JwsError {
  return new JwsError(
    "key_malformed",
    "An object identifier in this key is padded or truncated. Use the unchanged key file.",
  );
}

function unsupported(what: string): JwsError {
  return new JwsError(
    "key_unsupported",
    `This key cannot be used: ${what}. ES256 needs a P-256 key: openssl genpkey -algorithm EC -pkeyopt ` +
      "ec_paramgen_curve:P-256",
  );
}

import { BIT_STRING, DerReader, INTEGER, OBJECT_IDENTIFIER, OCTET_STRING, SEQUENCE, tagged } from "./der.ts";
import { JwsError } from "./errors.ts";
import { checkPoint } from "./jwk.ts";
import { isScalar, POINT_BYTES, SCALAR_BYTES } from "./p256.ts";

/** A private number with the public points that its file gives for it: none, one, or the same one twice. */
export interface PrivateKey {
  readonly d: Uint8Array;
  readonly points: readonly Uint8Array[];
}

/** PrivateKeyInfo's public key, [1] IMPLICIT BIT STRING. */
const PKCS8_PUBLIC_KEY = 0x81;
const EC_PUBLIC_KEY = "1.2.840.10045.2.1";
const PRIME256V1 = "1.2.840.10045.3.1.7";

// PrivateKeyInfo of a P-256 key without attributes and without the public key, up to the private number.
// deno-fmt-ignore -- an element a line
const PKCS8_BEFORE_D = Uint8Array.of(
  0x30, 0x41,
  0x02, 0x01, 0x00,
  0x30, 0x13, 0x06, 0x07, 0x2a, 0x86, 0x48, 0xce, 0x3d, 0x02, 0x01,
              0x06, 0x08, 0x2a, 0x86, 0x48, 0xce, 0x3d, 0x03, 0x01, 0x07,
  0x04, 0x27, 0x30, 0x25, 0x02, 0x01, 0x01, 0x04, 0x20,
);

/** The point of a SubjectPublicKeyInfo (RFC 5480). */
export function readSpki(der: Uint8Array): Uint8Array {
  const outer = new DerReader(der, "key_malformed");
  const info = outer.enter(SEQUENCE);
  outer.end();
  readAlgorithm(info);
  return readLastPoint(info);
}

/** The numbers of a PrivateKeyInfo (RFC 5958). */
export function readPkcs8(der: Uint8Array): PrivateKey {
  const outer = new DerReader(der, "key_malformed");
  const info = outer.enter(SEQUENCE);
  outer.end();
  const version = readVersion(info, [0, 1]);
  readAlgorithm(info);
  const { d, points } = readSec1(info.read(OCTET_STRING), true);
  // Attributes say nothing about the key itself.
  if (info.tag === tagged(0)) info.read(tagged(0));
  const more = version === 1 && info.tag === PKCS8_PUBLIC_KEY ? [readPoint(info.read(PKCS8_PUBLIC_KEY))] : [];
  info.end();
  return { d, points: [...points, ...more] };
}

/** The numbers of an ECPrivateKey (RFC 5915), whose curve its wrapper may have named already. */
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

/** A PrivateKeyInfo that every Web Crypto imports; the public key is computed there, so it cannot be a wrong one. */
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
    "The private number is not 32 bytes between 1 and the order of P-256. Take the key file as it was made.",
  );
}

function readAlgorithm(info: DerReader): void {
  const algorithm = info.enter(SEQUENCE);
  if (readOid(algorithm) !== EC_PUBLIC_KEY) throw unsupported("it is no elliptic-curve key");
  checkCurve(algorithm);
}

/** The rest of `parameters` is the name of P-256. */
function checkCurve(parameters: DerReader): void {
  if (parameters.tag === SEQUENCE) {
    throw unsupported("it spells out its curve instead of naming it (openssl: -param_enc named_curve)");
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
    `The private key's version is not ${known.join(" or ")}, the only ones that this format has. ` +
      "Take the key file as it was made.",
  );
}

/** The public key that is the rest of what `holder` holds. */
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

/** Dotted text of an OBJECT IDENTIFIER; the first two arcs of the ones that matter here are 1 and 2 or below 40. */
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
    "An object identifier in this key is padded or breaks off. Take the key file as it was made.",
  );
}

function unsupported(what: string): JwsError {
  return new JwsError(
    "key_unsupported",
    `This key cannot be used: ${what}. ES256 takes P-256: openssl genpkey -algorithm EC -pkeyopt ec_paramgen_curve:P-256`,
  );
}

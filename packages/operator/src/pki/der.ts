/** The DER that @peculiar/x509 leaves to its caller: lengths, integers and ECDSA signatures. */

const TAG_INTEGER = 0x02;
const TAG_SEQUENCE = 0x30;
const SCALAR_BYTES = 32;

export function encodeElement(tag: number, ...parts: readonly Uint8Array[]): Uint8Array<ArrayBuffer> {
  const content = concatBytes(parts);
  return concatBytes([Uint8Array.of(tag, ...encodeLength(content.length)), content]);
}

export function encodeSequence(...parts: readonly Uint8Array[]): Uint8Array<ArrayBuffer> {
  return encodeElement(TAG_SEQUENCE, ...parts);
}

/**
 * Encodes a non-negative INTEGER with the fewest bytes.
 * A zero byte comes first if the top bit would make it negative.
 */
export function encodeInteger(value: bigint): Uint8Array<ArrayBuffer> {
  const digits = value.toString(16);
  const hex = digits.padStart(digits.length + (digits.length % 2), "0");
  const signed = hex >= "8" ? `00${hex}` : hex;
  return encodeElement(TAG_INTEGER, Uint8Array.from(signed.match(/../g) ?? [], (pair) => parseInt(pair, 16)));
}

/**
 * Returns the index at which the content begins. Returns null if the bytes are not exactly one element, or if
 * its length is not encoded in the shortest form.
 */
export function findContent(der: Uint8Array): number | null {
  const [tag = 0, length = 0] = der;
  const start = length < 0x80 ? 2 : 2 + (length & 0x7f);
  return equalBytes(encodeElement(tag, der.subarray(start)), der) ? start : null;
}

/** Returns r‖s of a P-256 signature. Returns null if the bytes are not strict DER or a number is too big. */
export function readEcdsaSignature(der: Uint8Array): Uint8Array<ArrayBuffer> | null {
  const sStart = 4 + (der[3] ?? 0) + 2;
  const scalars = [der.subarray(4, sStart - 2), der.subarray(sStart)].map(readBigint);
  const encoded = encodeSequence(...scalars.map(encodeInteger));
  if (!equalBytes(encoded, der) || scalars.some((scalar) => scalar >> 256n !== 0n)) return null;
  return concatBytes(scalars.map(encodeScalar));
}

export function equalBytes(left: Uint8Array, right: Uint8Array): boolean {
  return left.length === right.length && left.every((byte, index) => byte === right[index]);
}

function encodeLength(length: number): number[] {
  if (length < 0x80) return [length];
  const bytes: number[] = [];
  for (let rest = length; rest > 0; rest = Math.floor(rest / 256)) bytes.unshift(rest % 256);
  return [0x80 | bytes.length, ...bytes];
}

function readBigint(bytes: Uint8Array): bigint {
  return bytes.reduce((value, byte) => (value << 8n) | BigInt(byte), 0n);
}

function encodeScalar(scalar: bigint): Uint8Array<ArrayBuffer> {
  const hex = scalar.toString(16).padStart(SCALAR_BYTES * 2, "0");
  return Uint8Array.from(hex.match(/../g) ?? [], (pair) => parseInt(pair, 16));
}

function concatBytes(parts: readonly Uint8Array[]): Uint8Array<ArrayBuffer> {
  const bytes = new Uint8Array(parts.reduce((total, part) => total + part.length, 0));
  let offset = 0;
  for (const part of parts) {
    bytes.set(part, offset);
    offset += part.length;
  }
  return bytes;
}

/** The parameters of P-256 (FIPS 186-5, SP 800-186) that are needed to refuse invalid numbers and points. */

const PRIME = 0xffffffff00000001000000000000000000000000ffffffffffffffffffffffffn;
const B = 0x5ac635d8aa3a93e7b3ebbd55769886bc651d06b0cc53b0f63bce3c3e27d2604bn;

// deno-fmt-ignore -- eight bytes a line
const ORDER = Uint8Array.of(
  0xff, 0xff, 0xff, 0xff, 0x00, 0x00, 0x00, 0x00,
  0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff,
  0xbc, 0xe6, 0xfa, 0xad, 0xa7, 0x17, 0x9e, 0x84,
  0xf3, 0xb9, 0xca, 0xc2, 0xfc, 0x63, 0x25, 0x51,
);

/** Length in bytes of a coordinate, of a private number, and of each half of a signature. */
export const SCALAR_BYTES = 32;
/** Length in bytes of an uncompressed point, 04 ‖ x ‖ y. */
export const POINT_BYTES = 65;

/**
 * Whether the number n in the 32 bytes at `offset` is above 0 and below the order of P-256. The function is
 * not constant-time: its time depends on how many leading bytes are zero or equal to the leading bytes of the
 * order.
 */
export function isScalar(bytes: Uint8Array, offset = 0): boolean {
  let zero = true;
  for (let index = 0; index < SCALAR_BYTES && zero; index++) zero = bytes[offset + index] === 0;
  if (zero) return false;
  for (let index = 0; index < SCALAR_BYTES; index++) {
    const difference = bytes[offset + index]! - ORDER[index]!;
    if (difference !== 0) return difference < 0;
  }
  return false;
}

/** Whether a point lies on the curve. Deno's Web Crypto does not check this when it imports a point. */
export function isOnCurve(point: Uint8Array): boolean {
  if (point.length !== POINT_BYTES || point[0] !== 4) return false;
  const x = toInteger(point.subarray(1, 1 + SCALAR_BYTES));
  const y = toInteger(point.subarray(1 + SCALAR_BYTES));
  return x < PRIME && y < PRIME && (y * y - (x * x * x - 3n * x + B)) % PRIME === 0n;
}

function toInteger(bytes: Uint8Array): bigint {
  let integer = 0n;
  for (const byte of bytes) integer = (integer << 8n) | BigInt(byte);
  return integer;
}

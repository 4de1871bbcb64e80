import { hostBytes } from "@gold-partner/protocol";

/** Sixteen bytes of the nonce's SHA-256, written as a uuid: a short key of one size, whatever the nonce looks like. */
export function nonceUuid(nonce: string): string {
  const hex = hostBytes.sha256Hex(hostBytes.utf8(nonce));
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${
    hex.slice(20, 32)
  }`;
}

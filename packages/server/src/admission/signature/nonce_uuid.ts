import { hostBytes } from "@gold-partner/protocol";

/** The first 16 bytes of the nonce's SHA-256, as a uuid: a short key of fixed size for any nonce. */
export function nonceUuid(nonce: string): string {
  const hex = hostBytes.sha256Hex(hostBytes.utf8(nonce));
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${
    hex.slice(20, 32)
  }`;
}

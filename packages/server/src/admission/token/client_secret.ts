import { Buffer } from "node:buffer";
import { hash, timingSafeEqual } from "node:crypto";
import { type ClientSecret, isActive, type Partner } from "../registry/snapshot.ts";

/** SHA-256 of pepper and secret. The secret has 256 random bits, so a slow hash would only add load. */
export function hashSecret(pepper: Uint8Array, secret: string): Buffer {
  return Buffer.from(hash("sha256", Buffer.concat([pepper, Buffer.from(secret)]), "hex"), "hex");
}

const NO_SECRET: ClientSecret = {
  id: 0,
  hash: "00".repeat(32),
  notBeforeMs: Infinity,
  retireAtMs: Infinity,
};

/**
 * Finds the partner's active secret that matches. The time that this takes does not reveal whether a secret
 * matched, or which one. All active secrets are compared. For an unknown partner, the given secret is hashed
 * and compared, too.
 */
export function findSecret(
  partner: Partner | undefined,
  secret: string,
  pepper: Uint8Array,
  nowMs: number,
): ClientSecret | undefined {
  const given = hashSecret(pepper, secret);
  const active = (partner?.secrets ?? []).filter((one) => isActive(one, nowMs));
  let found: ClientSecret | undefined;
  for (const known of [NO_SECRET, ...active]) {
    found = timingSafeEqual(given, Buffer.from(known.hash, "hex")) ? known : found;
  }
  return found;
}

import { Buffer } from "node:buffer";
import { hash, timingSafeEqual } from "node:crypto";
import { isActive, type Partner } from "../registry/registry.ts";

/** SHA-256 of pepper and secret. The secret has 256 random bits, so a slow hash would add nothing but load. */
export function hashSecret(pepper: Uint8Array, secret: string): Buffer {
  return Buffer.from(hash("sha256", Buffer.concat([pepper, Buffer.from(secret)]), "hex"), "hex");
}

const NO_SECRET = Buffer.alloc(32);

/** Takes the same time whoever asks and whatever is wrong: an unknown partner is compared, too. */
export function isSecretOf(
  partner: Partner | undefined,
  secret: string,
  pepper: Uint8Array,
  nowMs: number,
): boolean {
  const given = hashSecret(pepper, secret);
  const active = (partner?.secrets ?? []).filter((one) => isActive(one, nowMs)).map(({ hash }) =>
    Buffer.from(hash, "hex")
  );
  let found = false;
  for (const known of [NO_SECRET, ...active]) found = timingSafeEqual(given, known) || found;
  return found;
}

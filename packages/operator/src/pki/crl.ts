import "reflect-metadata";
import { AuthorityKeyIdentifierExtension, Extension, X509CrlGenerator } from "@peculiar/x509";
import type { Authority } from "./authority.ts";
import { encodeElement, encodeInteger } from "./der.ts";
import { PkiError } from "./errors.ts";
import { writePem } from "./pem.ts";

/** RFC 5280's reasons that apply to a partner's certificate. */
const REASON_CODES = {
  unspecified: 0,
  key_compromise: 1,
  affiliation_changed: 3,
  superseded: 4,
  cessation_of_operation: 5,
  privilege_withdrawn: 9,
} as const;

export type RevocationReason = keyof typeof REASON_CODES;
export const REVOCATION_REASONS = Object.keys(REASON_CODES) as RevocationReason[];

interface Revocation {
  /** In hex, as recorded with the certificate. */
  readonly serial: string;
  readonly revokedAt: Date;
  readonly reason?: RevocationReason;
}

export interface CrlOrder {
  readonly authority: Authority;
  readonly revoked: readonly Revocation[];
  /** Grows with every list of the same authority. */
  readonly number: number;
  readonly thisUpdate: Date;
  /**
   * From this instant on, a verifier that still has this list refuses every certificate of the authority.
   * Publish the next list well before.
   */
  readonly nextUpdate: Date;
}

const OID_CRL_NUMBER = "2.5.29.20";
const OID_REASON = "2.5.29.21";
const TAG_ENUMERATED = 0x0a;

/** Makes the list of revoked certificates, version 2, as PEM. */
export async function issueCrl(order: CrlOrder): Promise<string> {
  checkOrder(order);
  const { authority, revoked, number, thisUpdate, nextUpdate } = order;
  const crl = await X509CrlGenerator.create({
    issuer: authority.name,
    thisUpdate,
    nextUpdate,
    entries: revoked.map(({ serial, revokedAt, reason = "unspecified" }) => ({
      serialNumber: serial,
      revocationDate: revokedAt,
      // Write the reason even if it is unspecified. Otherwise the generator writes an empty list of
      // extensions, which RFC 5280 forbids and strict readers refuse.
      extensions: [
        new Extension(OID_REASON, false, encodeElement(TAG_ENUMERATED, Uint8Array.of(REASON_CODES[reason]))),
      ],
    })),
    extensions: [
      new AuthorityKeyIdentifierExtension(authority.keyId),
      new Extension(OID_CRL_NUMBER, false, encodeInteger(BigInt(number))),
    ],
    ...authority.signing,
  }, authority.signing.provider);
  return writePem("X509 CRL", new Uint8Array(crl.rawData));
}

function checkOrder({ revoked, number, thisUpdate, nextUpdate }: CrlOrder): void {
  if (!Number.isSafeInteger(number) || number < 1) {
    throw refuse(`its number is ${number}; it must be a whole number from 1 that grows with every list`);
  }
  if (!(thisUpdate < nextUpdate)) {
    throw refuse("its next update is not after this one; verifiers would refuse every certificate at once");
  }
  const seen = new Set<string>();
  for (const { serial, revokedAt } of revoked) {
    if (!/^[0-9a-f]{2,40}$/.test(serial)) {
      throw refuse(
        `"${serial}" is not a serial in lower-case hex; give the serial that the certificate was recorded with`,
      );
    }
    if (!(revokedAt <= thisUpdate)) throw refuse(`serial ${serial} is revoked later than this update`);
    if (seen.has(serial)) throw refuse(`serial ${serial} is listed twice; list each certificate once`);
    seen.add(serial);
  }
}

function refuse(why: string): PkiError {
  return new PkiError("crl_invalid", `The revocation list was not made: ${why}.`);
}

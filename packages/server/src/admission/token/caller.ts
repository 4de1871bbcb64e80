import { Refusal } from "../../http/refusal.ts";
import { stamp, type Ticket } from "../ticket.ts";
import type { Counted } from "../counted.ts";
import type { ClientCertificate } from "../identity/client_certificate.ts";
import type { Partner } from "../registry/snapshot.ts";
import { thumbprintOf, type TokenAuthority } from "./token_authority.ts";

/** A partner that is authenticated by its certificate, and that is not suspended. */
export type CertifiedCaller = Ticket<"CertifiedCaller", { readonly partner: Partner }>;
/** A partner that is authenticated by certificate and token. */
export type Caller = CertifiedCaller & Ticket<"Caller", unknown>;

const BEARER = /^bearer +([A-Za-z0-9._~+/-]+=*)$/i;

/**
 * Checks the token of the Authorization header. It must be bound to this certificate and issued to this
 * partner.
 */
export async function admitToken(
  certificate: ClientCertificate,
  authorization: string | undefined,
  tokens: TokenAuthority,
  nowMs: number,
): Promise<Caller> {
  if (authorization === undefined) throw new Refusal("token_missing");
  const token = BEARER.exec(authorization)?.[1];
  if (token === undefined) {
    throw new Refusal("token_invalid", "The Authorization header must contain exactly one Bearer token.");
  }
  const claims = await tokens.verify(token, nowMs);
  const { partner, fingerprint } = certificate;
  if (claims.cnf["x5t#S256"] !== thumbprintOf(fingerprint) || claims.sub !== partner.publicId) {
    throw new Refusal("token_certificate_mismatch");
  }
  if (partner.suspended) throw new Refusal("partner_suspended");
  return stamp<Caller>({ partner });
}

/** For operations whose token is optional. The certificate alone authenticates the partner. */
export function admitWithoutToken({ partner }: Counted<ClientCertificate>): Counted<CertifiedCaller> {
  if (partner.suspended) throw new Refusal("partner_suspended");
  return stamp<Counted<CertifiedCaller>>({ partner });
}

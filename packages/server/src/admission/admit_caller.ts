import type { AppContext } from "../http/context.ts";
import type { AdmissionDeps } from "./deps.ts";
import { Refusal } from "../http/refusal.ts";
import { admitCertificate, admitProxy, type ClientCertificate } from "./identity/client_certificate.ts";
import { admitIp } from "./identity/client_ip.ts";
import type { Counted } from "./counted.ts";
import { limitFailures } from "./identity/limit_failures.ts";
import { rateFields, tooFast } from "./rate/rate_fields.ts";
import type { Partner } from "./registry/snapshot.ts";
import { simulateFailure } from "./simulate_failure.ts";
import { admitToken, admitWithoutToken, type Caller, type CertifiedCaller } from "./token/caller.ts";

export const PROXY_HEADER = {
  certificate: "x-forwarded-client-cert",
  clientIp: "x-client-ip",
  secret: "x-gold-proxy-secret",
} as const;

/** Admits a request to a route that needs no token. Checks, in order: certificate → IP → rate. */
export async function admitCertificateAlone(
  c: AppContext,
  deps: AdmissionDeps,
): Promise<Counted<ClientCertificate>> {
  return countRequest(c, await admitConnection(c, deps), deps);
}

/**
 * Admits a request to a route that needs a token. Checks, in order: certificate → IP → token → rate. A
 * request with an invalid token does not count against the partner's rate. It counts as a failed
 * authentication of its certificate.
 */
export async function admitCaller(c: AppContext, deps: AdmissionDeps): Promise<Counted<Caller>> {
  const certificate = await admitConnection(c, deps);
  const caller = await limitFailures(
    certificate,
    c.get("exchange"),
    deps,
    () => admitToken(certificate, c.req.header("authorization"), deps.tokens, deps.now()),
  );
  const counted = countRequest(c, caller, deps);
  // Only a partner of the sandbox can have simulations.
  if (caller.partner.simulations?.failure) await simulateFailure(c, caller.partner, deps);
  return counted;
}

/** Checks the caller of a long reply again, as for a new request. Counts no request. */
export async function admitAgain(c: AppContext, deps: AdmissionDeps): Promise<Partner> {
  const certificate = await admitConnection(c, deps);
  const caller = await admitToken(certificate, c.req.header("authorization"), deps.tokens, deps.now());
  return caller.partner;
}

/** Admits a request to a route whose token is optional. A token that is sent must be valid. */
export async function admitCallerWithOptionalToken(
  c: AppContext,
  deps: AdmissionDeps,
): Promise<Counted<CertifiedCaller>> {
  if (c.req.header("authorization") !== undefined) return await admitCaller(c, deps);
  return admitWithoutToken(await admitCertificateAlone(c, deps));
}

async function admitConnection(
  c: AppContext,
  { config, registry, usage, now }: AdmissionDeps,
): Promise<ClientCertificate> {
  admitProxy(c.req.header(PROXY_HEADER.secret), config.proxySecret);
  const certificate = await admitCertificate(c.req.header(PROXY_HEADER.certificate), registry);
  const { partner, fingerprint } = certificate;
  c.set("clientId", partner.publicId);
  admitIp(certificate, c.req.header(PROXY_HEADER.clientIp));
  usage.note({ kind: "certificate", partner: partner.id, id: fingerprint, atMs: now() });
  return certificate;
}

/** Counts a request once, even if it is admitted several times. */
function countRequest<Who extends { readonly partner: Partner }>(
  c: AppContext,
  who: Who,
  { limiter, monotonicMs }: AdmissionDeps,
): Counted<Who> {
  const exchange = c.get("exchange");
  const { id, rate } = who.partner;
  if (!exchange.rateFields) {
    const verdict = limiter.take(id, rate, monotonicMs());
    exchange.rateFields = rateFields(rate, verdict);
    if (!verdict.allowed) {
      throw new Refusal("rate_limited", tooFast(rate));
    }
  }
  return who as Counted<Who>;
}

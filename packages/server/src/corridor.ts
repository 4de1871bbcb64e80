import { ID_PREFIX, newId, type RequestId } from "@gold-partner/protocol";
import type { Context } from "hono";
import { admitIp } from "./admission/identity/client_ip.ts";
import {
  admitCertificate,
  admitProxy,
  type ClientCertificate,
} from "./admission/identity/client_certificate.ts";
import { limitFailures } from "./admission/rate/limit_failures.ts";
import { rateFields } from "./admission/rate/rate_fields.ts";
import type { Partner } from "./admission/registry/snapshot.ts";
import type { SignatureForms } from "./admission/signature/header_forms.ts";
import { type SignedRequest, verifySignature } from "./admission/signature/verify_signature.ts";
import { admitCaller, type Caller } from "./admission/token/caller.ts";
import type { Outcome } from "./booking/outcome.ts";
import type { Deps } from "./deps.ts";
import { Refusal } from "./refusal.ts";
import type { Exchange } from "./reply.ts";

const PROXY_HEADER = {
  certificate: "x-forwarded-client-cert",
  clientIp: "x-client-ip",
  secret: "x-gold-proxy-secret",
} as const;

export interface AppEnv {
  readonly Bindings: { readonly incoming?: { readonly url?: string } };
  readonly Variables: {
    exchange: Exchange;
    target: string;
    /** The operation's path as the API description spells it. Undefined for an unknown path. */
    route?: string;
    clientId: string;
    code: string;
  };
}
export type AppContext = Context<AppEnv>;
/** Answers the requests of one operation. */
export type Route = (c: AppContext) => Promise<Response>;

/** Admits a request to a route that needs no token. Checks, in order: certificate → IP → rate. */
export async function enter(c: AppContext, deps: Deps): Promise<ClientCertificate> {
  const certificate = await recognise(c, deps);
  pace(c, certificate.partner, deps);
  return certificate;
}

/**
 * Admits a request to any other route. Checks, in order: certificate → IP → token → rate. A request whose
 * token fails does not use up the partner's rate. It counts as a failure of its certificate.
 */
export async function identify(c: AppContext, deps: Deps): Promise<Caller> {
  const certificate = await recognise(c, deps);
  const caller = await limitFailures(
    certificate,
    c.get("exchange"),
    deps,
    () => admitCaller(certificate, c.req.header("authorization"), deps.tokens, deps.now()),
  );
  pace(c, caller.partner, deps);
  return caller;
}

async function recognise(
  c: AppContext,
  { config, registry, usage, now }: Deps,
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
function pace(c: AppContext, { id, rate }: Partner, { limiter, monotonicMs }: Deps): void {
  const exchange = c.get("exchange");
  if (exchange.rateFields) return;
  const verdict = limiter.take(id, rate, monotonicMs());
  exchange.rateFields = rateFields(rate, verdict);
  if (verdict.allowed) return;
  throw new Refusal(
    "rate_limited",
    `Your rate is ${rate.perSecond} a second with a burst of ${rate.burst}, and this request was one too many; it was not executed. ` +
      "Wait as long as Retry-After says, then repeat it with the same Idempotency-Key.",
  );
}

/** Verifies who signed these bytes. Checks, in order: timestamp → signature. */
export async function authenticate(
  c: AppContext,
  deps: Deps,
  caller: Caller,
  body: Uint8Array,
  forms: SignatureForms,
): Promise<SignedRequest> {
  const { registry, usage, now } = deps;
  const request = { method: c.req.method, url: signedUrl(c, deps), body };
  const signed = await verifySignature(caller, request, forms, registry);
  usage.note({ kind: "signing_key", partner: signed.partner.id, id: signed.key, atMs: now() });
  return signed;
}

/** The URL that the caller signed: the public base URL and the request target as it arrived. */
export function signedUrl(c: AppContext, { config }: Deps): string {
  return config.publicBaseUrl + c.get("target");
}

const READMISSIONS = 3;

/**
 * Books under an admission. If the admission changed in the meantime, the request is admitted and booked
 * again, up to READMISSIONS times in all. So no write commits after a committed revocation. `admit` runs
 * every step before booking.
 */
export async function bookAdmitted<Admitted>(
  admit: () => Promise<Admitted>,
  book: (admitted: Admitted) => Promise<Outcome>,
  { registry, clockAlarm }: Pick<Deps, "registry" | "clockAlarm">,
): Promise<Outcome> {
  for (let round = 1;; round++) {
    const outcome = await book(await admit());
    if (outcome.outcome === "service_unavailable") {
      clockAlarm.refused(Number(outcome.body));
      throw new Refusal(
        "service_unavailable",
        "The database's clock is behind your account's newest posting; nothing was executed.",
      );
    }
    if (outcome.outcome !== "admission_changed") return outcome;
    if (round === READMISSIONS) {
      throw new Refusal(
        "service_unavailable",
        "Your credentials were changed while the request was under way; nothing was executed.",
      );
    }
    await registry.refresh();
  }
}

export const uuidFor = ({ now, random }: Deps): string =>
  newId(ID_PREFIX.request, now(), random).slice(ID_PREFIX.request.length);
export const uuidOfRequest = (id: RequestId): string => id.slice(ID_PREFIX.request.length);

import { ID_PREFIX, newId, type RequestId } from "@gold-partner/protocol";
import type { Context } from "hono";
import { admitIp } from "./admission/identity/client_ip.ts";
import {
  admitCertificate,
  admitProxy,
  type ClientCertificate,
} from "./admission/identity/client_certificate.ts";
import { admitCaller, type Caller } from "./admission/token/caller.ts";
import type { Outcome } from "./booking/outcome.ts";
import type { Deps } from "./deps.ts";
import { Refusal } from "./refusal.ts";

const PROXY_HEADER = {
  certificate: "x-forwarded-client-cert",
  clientIp: "x-client-ip",
  secret: "x-gold-proxy-secret",
} as const;

export interface AppEnv {
  readonly Bindings: { readonly incoming?: { readonly url?: string } };
  readonly Variables: { requestId: RequestId; target: string; clientId: string; code: string };
}
export type AppContext = Context<AppEnv>;

/** The first two rooms of every route: whose certificate, and from where. */
export async function enter(c: AppContext, { config, registry }: Deps): Promise<ClientCertificate> {
  admitProxy(c.req.header(PROXY_HEADER.secret), config.proxySecret);
  const certificate = await admitCertificate(c.req.header(PROXY_HEADER.certificate), registry);
  c.set("clientId", certificate.partner.publicId);
  admitIp(certificate, c.req.header(PROXY_HEADER.clientIp));
  return certificate;
}

/** The third: whose token. */
export async function identify(c: AppContext, deps: Deps): Promise<Caller> {
  const certificate = await enter(c, deps);
  return await admitCaller(certificate, c.req.header("authorization"), deps.tokens, deps.now());
}

/** What the caller signed over: the public base URL and the request target as it came. */
export function signedUrl(c: AppContext, { config }: Deps): string {
  return config.publicBaseUrl + c.get("target");
}

const READMISSIONS = 3;

/**
 * Books under an admission, and admits anew when it changed meanwhile: no write commits after a committed revocation.
 * `admit` runs the corridor's rooms up to booking again.
 */
export async function bookAdmitted<Admitted>(
  admit: () => Promise<Admitted>,
  book: (admitted: Admitted) => Promise<Outcome>,
  { registry }: Deps,
): Promise<Outcome> {
  for (let round = 1;; round++) {
    const outcome = await book(await admit());
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

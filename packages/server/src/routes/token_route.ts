import { JsonNumber } from "@gold-partner/canonical";
import {
  TOKEN_TTL_SECONDS,
  type TokenProblemCode,
  type TokenRequest,
  tokenRequest,
} from "@gold-partner/protocol";
import { checkMediaType, readBody } from "../admission/body/read_body.ts";
import type { ClientCertificate } from "../admission/identity/client_certificate.ts";
import { limitFailures } from "../admission/identity/limit_failures.ts";
import type { ClientSecret, Partner, Snapshot } from "../admission/registry/snapshot.ts";
import { findSecret } from "../admission/token/client_secret.ts";
import { admitCertificateAlone } from "../admission/admit_caller.ts";
import type { AppContext, Route } from "../http/context.ts";
import { newUuid } from "../operations/new_uuid.ts";
import type { Deps } from "./deps.ts";
import { Refusal } from "../http/refusal.ts";
import { jsonReply } from "../http/reply.ts";

/** POST /oauth/token: issues a token for client_credentials, and binds it to the client certificate. */
export function tokenRoute(deps: Deps): Route {
  return async (c) => {
    const { tokens, usage, now } = deps;
    const certificate = await admitCertificateAlone(c, deps);
    const { partner, secret } = await limitFailures(
      certificate,
      c.get("exchange"),
      deps,
      () => admitClient(c, deps, certificate),
    );
    if (partner.suspended) throw new Refusal("partner_suspended");
    const { token, kid } = await tokens.issue(certificate, now(), newUuid(deps));
    usage.note({ kind: "client_secret", partner: partner.id, id: `${secret.id}`, atMs: now() });
    usage.note({ kind: "token_key", partner: null, id: kid, atMs: now() });
    return jsonReply(
      { access_token: token, token_type: "Bearer", expires_in: new JsonNumber(`${TOKEN_TTL_SECONDS}`) },
      c.get("exchange"),
    );
  };
}

interface AdmittedClient {
  readonly partner: Partner;
  readonly secret: ClientSecret;
}

async function admitClient(
  c: AppContext,
  { registry, pepper, now }: Deps,
  certificate: ClientCertificate,
): Promise<AdmittedClient> {
  const body = await readBody(c);
  if (c.req.header("authorization") !== undefined) {
    throw new Refusal<TokenProblemCode>(
      "invalid_client",
      "HTTP Basic and other Authorization headers are not accepted here: send client_id and client_secret in the form body.",
    );
  }
  checkMediaType(c, "application/x-www-form-urlencoded");
  const { client_id, client_secret } = readForm(body);
  const judge = ({ partners }: Snapshot): AdmittedClient | undefined => {
    const partner = partners.get(client_id);
    const secret = findSecret(partner, client_secret, pepper, now());
    return secret && partner?.id === certificate.partner.id ? { partner, secret } : undefined;
  };
  // Check a failure again with a new snapshot, because the secret may be newer than the last snapshot. Every
  // failure is checked twice, so that all failures take the same time.
  const admitted = judge(registry.snapshot()) ?? judge(await registry.refresh());
  // Give the same answer for an unknown client, a wrong secret and another partner's certificate.
  if (!admitted) throw new Refusal<TokenProblemCode>("invalid_client");
  return admitted;
}

/**
 * Prepares a name for an error_description: cuts it to 64 characters, and replaces each character that OAuth
 * forbids there by "?".
 */
const printable = (name: string) => name.slice(0, 64).replace(/[^\x20\x21\x23-\x5b\x5d-\x7e]/g, "?");

function readForm(body: Uint8Array): TokenRequest {
  const parameters = new URLSearchParams(decodeUtf8(body));
  for (const name of new Set(parameters.keys())) {
    if (parameters.getAll(name).length > 1) {
      throw new Refusal("invalid_request", `${printable(name)} was sent more than once; send it once.`);
    }
  }
  const grantType = parameters.get("grant_type");
  if (grantType !== null && grantType !== "client_credentials") {
    throw new Refusal<TokenProblemCode>("unsupported_grant_type");
  }
  const result = tokenRequest.safeParse(Object.fromEntries(parameters));
  if (!result.success) throw new Refusal("invalid_request", result.error.issues[0]?.message);
  return result.data;
}

function decodeUtf8(body: Uint8Array): string {
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(body);
  } catch {
    throw new Refusal("invalid_request", "The form body must be UTF-8.");
  }
}

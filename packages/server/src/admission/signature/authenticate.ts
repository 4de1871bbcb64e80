import type { AdmissionDeps } from "../deps.ts";
import type { AppContext } from "../../http/context.ts";
import type { Counted } from "../counted.ts";
import type { Bytes } from "../body/read_body.ts";
import type { Caller } from "../token/caller.ts";
import type { SignatureForms } from "./header_forms.ts";
import { type SignedRequest, verifySignature } from "./verify_signature.ts";

/** Verifies who signed these bytes. Checks, in order: timestamp → signature. */
export async function authenticate<Body extends Bytes>(
  caller: Counted<Caller>,
  body: Body,
  forms: SignatureForms,
  c: AppContext,
  deps: AdmissionDeps,
): Promise<SignedRequest<Body>> {
  const { registry, usage, now } = deps;
  const request = { method: c.req.method, url: signedUrl(c, deps), body };
  const signed = await verifySignature(caller, request, forms, registry);
  usage.note({ kind: "signing_key", partner: signed.partner.id, id: signed.key, atMs: now() });
  return signed;
}

/** The URL that the caller signed: the public base URL and the request target as it arrived. */
export function signedUrl(c: AppContext, { config }: AdmissionDeps): string {
  return config.publicBaseUrl + c.get("target");
}

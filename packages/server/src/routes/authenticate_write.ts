import type { Counted } from "../admission/counted.ts";
import type { JsonBytes } from "../admission/body/read_body.ts";
import { authenticate } from "../admission/signature/authenticate.ts";
import { readSignatureForms } from "../admission/signature/header_forms.ts";
import type { SignedRequest } from "../admission/signature/verify_signature.ts";
import type { Caller } from "../admission/token/caller.ts";
import type { Deps } from "./deps.ts";
import type { AppContext } from "../http/context.ts";
import { Refusal } from "../http/refusal.ts";

/** The authentication step of a signed write. Checks, in order: signature headers → timestamp → signature. */
export async function authenticateWrite(
  caller: Counted<Caller>,
  body: JsonBytes,
  c: AppContext,
  deps: Deps,
): Promise<SignedRequest<JsonBytes>> {
  const forms = readSignatureForms((name) => c.req.header(name));
  return await authenticate(caller, body, forms, c, deps).catch(nameTheProbe);
}

/**
 * Adds a sentence about the probe to the error. The probe shows the text that the service verified, so that
 * the caller can compare it with the text that was signed.
 */
function nameTheProbe(error: unknown): never {
  if (!(error instanceof Refusal) || error.code !== "signature_invalid") throw error;
  const probe = "POST /v1/signed-probe shows the text that was verified, and names common mistakes.";
  throw new Refusal("signature_invalid", `${error.detail} ${probe}`);
}

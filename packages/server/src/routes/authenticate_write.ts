import type { Counted } from "../admission/counted.ts";
import type { JsonBytes } from "../admission/body/read_body.ts";
import { authenticate } from "../admission/signature/authenticate.ts";
import type { SignedRequest } from "../admission/signature/verify_signature.ts";
import type { Caller } from "../admission/token/caller.ts";
import type { Deps } from "../deps.ts";
import type { AppContext } from "../http/context.ts";
import { Refusal } from "../http/refusal.ts";

/** Names the probe, which shows the bytes that were verified. An error message cannot compare bytes. */
export const authenticateWrite = (
  caller: Counted<Caller>,
  body: JsonBytes,
  c: AppContext,
  deps: Deps,
): Promise<SignedRequest<JsonBytes>> =>
  authenticate(caller, body, c, deps).catch((error) => {
    if (!(error instanceof Refusal) || error.code !== "signature_invalid") throw error;
    const probe = "POST /v1/signed-probe shows the text that was verified, and names usual mistakes.";
    throw new Refusal("signature_invalid", `${error.detail} ${probe}`);
  });

import { hostBytes, ID_PREFIX, idempotencyFingerprint, orderRequest, uuidOfId } from "@gold-partner/protocol";
import { checkMediaType, readBody, readJsonBody, readShape } from "./admission/body/read_body.ts";
import { readIdempotencyKey, readSignatureForms } from "./admission/signature/header_forms.ts";
import { verifySignature } from "./admission/signature/verify_signature.ts";
import { nonceUuid } from "./booking/nonce/nonce_uuid.ts";
import { type AppContext, bookAdmitted, identify, signedUrl, uuidOfRequest } from "./corridor.ts";
import type { Deps } from "./deps.ts";
import { outcomeReply } from "./reply.ts";

/** THE CORRIDOR: every room of one order, in order. Each room's result is the next one's ticket. */
export function orderRoute(deps: Deps): (c: AppContext) => Promise<Response> {
  return async (c) => {
    const requestId = c.get("requestId");
    const header = (name: string) => c.req.header(name);

    const admit = async () => {
      // certificate → IP → token
      const caller = await identify(c, deps);
      // size and media type → header forms
      const body = await readBody(c);
      checkMediaType(c, "application/json");
      const key = readIdempotencyKey(header);
      const forms = readSignatureForms(header);
      // timestamp → signature
      const request = { method: c.req.method, url: signedUrl(c, deps), body };
      const signed = await verifySignature(caller, request, forms, deps.now());
      // body syntax and shape
      const params = readJsonBody(signed.body);
      const { quoteId } = readShape(orderRequest, params);
      return { signed, key, quoteId, params };
    };

    // nonce → idempotency → business, in one transaction
    const outcome = await bookAdmitted(admit, ({ signed, key, quoteId, params }) =>
      deps.booking.order({
        client: signed.partner.id,
        admissionVersion: signed.partner.admissionVersion,
        nonce: nonceUuid(signed.nonce),
        key,
        fingerprint: idempotencyFingerprint({ method: c.req.method, path: c.req.path, params }, hostBytes),
        quote: uuidOfId(ID_PREFIX.quote, quoteId) ?? null,
        request: uuidOfRequest(requestId),
      }), deps);
    return outcomeReply(outcome, requestId);
  };
}

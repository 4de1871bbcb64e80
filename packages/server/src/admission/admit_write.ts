import { hostBytes, ID_PREFIX, idempotencyFingerprint } from "@gold-partner/protocol";
import type { AppContext } from "../http/context.ts";
import { stamp, type Ticket } from "./ticket.ts";
import type { AdmittedWrite, CertifiedWrite, SignedWrite } from "./admitted_write.ts";
import type { JsonBytes, Parameters } from "./body/read_body.ts";
import type { Counted } from "./counted.ts";
import type { Partner } from "./registry/snapshot.ts";
import type { IdempotencyKey } from "./signature/header_forms.ts";
import { nonceUuid } from "./signature/nonce_uuid.ts";
import { storedRequest, thumbprintHex } from "./signature/stored_request.ts";
import type { SignedRequest } from "./signature/verify_signature.ts";
import type { Caller, CertifiedCaller } from "./token/caller.ts";

/** The request of a write that needs neither a token nor a signature. */
type CertifiedRequest = Ticket<"CertifiedRequest", {
  readonly partner: Partner;
  readonly body: JsonBytes;
}>;

/** The request of a write that needs a token, but no signature. */
type UnsignedRequest = CertifiedRequest & Ticket<"UnsignedRequest", unknown>;

export type WriteRequest = SignedRequest<JsonBytes> | UnsignedRequest | CertifiedRequest;

export const withoutToken = (
  { partner }: Counted<CertifiedCaller>,
  body: JsonBytes,
): Promise<CertifiedRequest> => Promise.resolve(stamp<CertifiedRequest>({ partner, body }));

export const withoutSignature = (
  { partner }: Counted<Caller>,
  body: JsonBytes,
): Promise<UnsignedRequest> => Promise.resolve(stamp<UnsignedRequest>({ partner, body }));

/**
 * Maps the type of a request to the type of its admitted write. A write's type shows whether the token and
 * the signature were checked, so a booking that needs them accepts no other write.
 */
export type WriteOf<Request> = Request extends SignedRequest ? SignedWrite
  : Request extends UnsignedRequest ? AdmittedWrite
  : CertifiedWrite;

/** The last step of admission. It needs the results of all earlier steps. */
export function admitWrite<Request extends WriteRequest>(
  c: AppContext,
  request: Request,
  key: IdempotencyKey,
  { params }: Parameters<unknown>,
): WriteOf<Request> {
  const { partner } = request;
  const write = stamp<CertifiedWrite>({
    client: partner.id,
    admissionVersion: partner.admissionVersion,
    key,
    fingerprint: idempotencyFingerprint({ method: c.req.method, path: c.req.path, params }, hostBytes),
    requestId: c.get("exchange").requestId.slice(ID_PREFIX.request.length),
  });
  const admitted = "nonce" in request
    ? {
      nonce: nonceUuid(request.nonce),
      signedRequest: storedRequest(c.req.method, c.get("target"), request),
      thumbprint: thumbprintHex(request.key),
      ...write,
    }
    : write;
  return admitted as CertifiedWrite as WriteOf<Request>;
}

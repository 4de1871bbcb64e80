import { hostBytes, ID_PREFIX, idempotencyFingerprint } from "@gold-partner/protocol";
import type { AppContext } from "../http/context.ts";
import { stamp, type Ticket } from "../ticket.ts";
import type { AdmittedWrite, SignedWrite } from "./admitted_write.ts";
import type { JsonBytes, Parameters } from "./body/read_body.ts";
import type { Counted } from "./counted.ts";
import type { Partner } from "./registry/snapshot.ts";
import type { IdempotencyKey } from "./signature/header_forms.ts";
import { nonceUuid } from "./signature/nonce_uuid.ts";
import type { SignedRequest } from "./signature/verify_signature.ts";
import type { Caller } from "./token/caller.ts";

/** The request of a write that needs no signature. */
export type UnsignedRequest = Ticket<"UnsignedRequest", {
  readonly partner: Partner;
  readonly body: JsonBytes;
}>;

export const withoutSignature = (
  { partner }: Counted<Caller>,
  body: JsonBytes,
): Promise<UnsignedRequest> => Promise.resolve(stamp<UnsignedRequest>({ partner, body }));

/** A signed request becomes a signed write, so a booking that needs a signature does not take any other. */
export type WriteOf<Request> = Request extends UnsignedRequest ? AdmittedWrite : SignedWrite;

/** The last step of admission. It needs the results of all others. */
export function admitWrite<Request extends SignedRequest<JsonBytes> | UnsignedRequest>(
  c: AppContext,
  request: Request,
  key: IdempotencyKey,
  { params }: Parameters<unknown>,
): WriteOf<Request> {
  const { partner } = request;
  const write = stamp<AdmittedWrite>({
    client: partner.id,
    admissionVersion: partner.admissionVersion,
    key,
    fingerprint: idempotencyFingerprint({ method: c.req.method, path: c.req.path, params }, hostBytes),
    request: c.get("exchange").requestId.slice(ID_PREFIX.request.length),
  });
  const admitted: AdmittedWrite | SignedWrite = "nonce" in request
    ? stamp<SignedWrite>({ ...write, nonce: nonceUuid(request.nonce) })
    : write;
  return admitted as WriteOf<Request>;
}

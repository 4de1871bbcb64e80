// This file is only compiled, never run. Each function leaves out one step of the write pipeline, so it must
// not compile. If a function compiled, the compiler would report its "@ts-expect-error" as unused.

import { orderRequest } from "@gold-partner/protocol";
import type { Counted } from "../admission/counted.ts";
import { admitCaller, admitCallerWithOptionalToken } from "../admission/admit_caller.ts";
import { admitWrite, withoutSignature } from "../admission/admit_write.ts";
import type { AdmittedWrite, SignedWrite } from "../admission/admitted_write.ts";
import {
  type Bytes,
  type JsonBytes,
  type Parameters,
  readBody,
  readJsonBytes,
  readParameters,
} from "../admission/body/read_body.ts";
import type { ClientCertificate } from "../admission/identity/client_certificate.ts";
import type { Partner } from "../admission/registry/snapshot.ts";
import { type IdempotencyKey, readIdempotencyKey } from "../admission/signature/header_forms.ts";
import { type SignedRequest, verifySignature } from "../admission/signature/verify_signature.ts";
import { admitToken, type Caller, type CertifiedCaller } from "../admission/token/caller.ts";
import type { Deps } from "./deps.ts";
import type { AppContext } from "../http/context.ts";
import type { Ticket } from "../admission/ticket.ts";
import { authenticateWrite } from "./authenticate_write.ts";
import { writeRoute } from "./write_pipeline.ts";

declare const c: AppContext;
declare const deps: Deps;
declare const partner: Partner;
declare const certificate: ClientCertificate;
declare const certified: Counted<CertifiedCaller>;
declare const caller: Counted<Caller>;
declare const bytes: JsonBytes;
declare const key: IdempotencyKey;
declare const signed: SignedRequest<JsonBytes>;
declare const parameters: Parameters<{ readonly quoteId: string }>;
declare const admitted: AdmittedWrite;
const signedBytes = { method: "POST", url: "", body: bytes };
const plainHeaders = { timestamp: "", nonce: "", signature: "" };
const plainWrite = { client: 1, admissionVersion: "1", key, fingerprint: "", requestId: "", event: null };

const steps = {
  // @ts-expect-error: the certificate was not checked
  withoutCertificate: () => admitToken({ partner, fingerprint: "" }, "", deps.tokens, 0),
  // @ts-expect-error: the token was not checked
  withoutToken: () => withoutSignature(certified, bytes),
  withoutTokenInRoute: () =>
    writeRoute(deps, {
      schema: orderRequest,
      // @ts-expect-error: a signed write needs a token
      admit: admitCallerWithOptionalToken,
      authenticate: authenticateWrite,
      book: ({ write, asked }) => deps.booking.order({ asked, ...write }),
    }),
  // @ts-expect-error: the request was not counted against the rate limit
  withoutRate: async () => withoutSignature(await admitToken(certificate, "", deps.tokens, 0), bytes),
  // @ts-expect-error: the size of the body was not checked
  withoutSize: (body: Ticket<"JsonBytes", Uint8Array>) => readParameters(c, orderRequest, body),
  // @ts-expect-error: the media type was not checked
  withoutMediaType: async () => readParameters(c, orderRequest, await readBody(c)),
  // @ts-expect-error: the Idempotency-Key was not checked
  withoutKey: () => admitWrite(c, signed, c.req.header("Idempotency-Key") ?? "", parameters),
  // @ts-expect-error: the format of the signature headers was not checked
  withoutSignatureForms: () => verifySignature(caller, signedBytes, plainHeaders, deps.registry),
  withoutVerification: () =>
    writeRoute(deps, {
      schema: orderRequest,
      admit: admitCaller,
      authenticate: withoutSignature,
      // @ts-expect-error: an order needs a verified signature
      book: ({ write, asked }) => deps.booking.order({ ...write, nonce: "", asked }),
    }),
  // @ts-expect-error: the signed bytes were not checked to be JSON
  withoutJson: (request: SignedRequest<Bytes>) => admitWrite(c, request, key, parameters),
  // @ts-expect-error: query, syntax and shape were not checked
  withoutShape: () => admitWrite(c, signed, key, { params: {}, asked: { quoteId: "" } }),
  // @ts-expect-error: the write was not admitted
  withoutAdmission: () => deps.booking.redeliver(plainWrite),
  // @ts-expect-error: the admitted write has no verified signature
  withoutSigner: () => deps.booking.order({ ...admitted, nonce: "", asked: { quoteId: "" } }),
  withoutSignedRequest: ({ signedRequest: _, ...write }: SignedWrite) =>
    // @ts-expect-error: the signed request is not stored
    deps.booking.order({ ...write, asked: { quoteId: "" } }),
  withAnotherRequest: (write: SignedWrite) =>
    // @ts-expect-error: the text to store is not a request that was signed
    deps.booking.order({ ...write, signedRequest: "", asked: { quoteId: "" } }),
  /** Compiles, because no step is left out. */
  complete: async () => {
    const body = await readJsonBytes(c);
    const found = readParameters(c, orderRequest, body);
    return admitWrite(c, await withoutSignature(caller, body), readIdempotencyKey(() => ""), found);
  },
};
void steps;

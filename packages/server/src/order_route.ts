import {
  hostBytes,
  ID_PREFIX,
  idempotencyFingerprint,
  orderRequest,
  uuidOfId,
  withdrawalRequest,
} from "@gold-partner/protocol";
import type { z } from "zod";
import { checkMediaType, readBody, readJsonBody, readShape } from "./admission/body/read_body.ts";
import { refuseQuery } from "./admission/query/read_query.ts";
import { readIdempotencyKey, readSignatureForms } from "./admission/signature/header_forms.ts";
import { nonceUuid } from "./booking/nonce/nonce_uuid.ts";
import type { Outcome } from "./booking/outcome.ts";
import {
  type AppContext,
  authenticate,
  bookAdmitted,
  identify,
  type Route,
  uuidFor,
  uuidOfRequest,
} from "./corridor.ts";
import type { Deps } from "./deps.ts";
import { Refusal } from "./refusal.ts";
import { outcomeReply } from "./reply.ts";

export function orderRoute(deps: Deps): Route {
  return corridor(
    deps,
    orderRequest,
    ({ quoteId }, write) =>
      deps.booking.order({ ...write, quote: uuidOfId(ID_PREFIX.quote, quoteId) ?? null }),
  );
}

/** A withdrawal takes the same steps as an order. Only the booking differs. */
export function withdrawalRoute(deps: Deps): Route {
  return corridor(
    deps,
    withdrawalRequest,
    (asked, write) => deps.booking.withdraw({ ...write, ...asked, id: uuidFor(deps) }),
  );
}

/** THE WRITE PIPELINE: every step of a signed write, in order. Each step needs the previous step's result. */
function corridor<Schema extends z.ZodType>(
  deps: Deps,
  schema: Schema,
  book: (asked: z.output<Schema>, write: SignedWrite) => Promise<Outcome>,
): Route {
  return async (c: AppContext) => {
    const exchange = c.get("exchange");
    const header = (name: string) => c.req.header(name);

    const admit = async () => {
      // certificate → IP → token → rate
      const caller = await identify(c, deps);
      // size and media type → header forms
      const body = await readBody(c);
      checkMediaType(c, "application/json");
      const key = readIdempotencyKey(header);
      const forms = readSignatureForms(header);
      // timestamp → signature
      const signed = await authenticate(c, deps, caller, body, forms).catch(nameTheProbe);
      // body syntax and shape
      refuseQuery(c);
      const params = readJsonBody(signed.body);
      const asked = readShape(schema, params);
      return { signed, key, params, asked };
    };

    // nonce → idempotency → business, in one transaction
    const outcome = await bookAdmitted(admit, ({ signed, key, params, asked }) =>
      book(asked, {
        client: signed.partner.id,
        admissionVersion: signed.partner.admissionVersion,
        nonce: nonceUuid(signed.nonce),
        key,
        fingerprint: idempotencyFingerprint({ method: c.req.method, path: c.req.path, params }, hostBytes),
        request: uuidOfRequest(exchange.requestId),
      }), deps);
    return outcomeReply(outcome, exchange);
  };
}

/** Names the probe, which shows the bytes that were verified. An error message cannot compare bytes. */
function nameTheProbe(error: unknown): never {
  if (!(error instanceof Refusal) || error.code !== "signature_invalid") throw error;
  const probe = "POST /v1/signed-probe shows what is verified here, and names the usual mistakes.";
  throw new Refusal("signature_invalid", `${error.detail} ${probe}`);
}

/** What booking needs from every signed write. */
interface SignedWrite {
  readonly client: number;
  readonly admissionVersion: string;
  readonly nonce: string;
  readonly key: string;
  readonly fingerprint: string;
  readonly request: string;
}

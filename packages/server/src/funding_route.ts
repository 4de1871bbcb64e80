import { fundRequest, hostBytes, idempotencyFingerprint } from "@gold-partner/protocol";
import { checkMediaType, readBody, readJsonBody, readShape } from "./admission/body/read_body.ts";
import { refuseQuery } from "./admission/query/read_query.ts";
import { readIdempotencyKey } from "./admission/signature/header_forms.ts";
import { bookAdmitted, enter, identify, type Route, uuidFor, uuidOfRequest } from "./corridor.ts";
import type { Deps } from "./deps.ts";
import { Refusal } from "./refusal.ts";
import { outcomeReply } from "./reply.ts";

/** Funds a sandbox partner. The token is optional, but a token that is sent must be valid. */
export function fundingRoute(deps: Deps): Route {
  return async (c) => {
    const exchange = c.get("exchange");
    const admit = async () => {
      const { partner } = await (c.req.header("authorization") === undefined ? enter : identify)(c, deps);
      if (partner.suspended) throw new Refusal("partner_suspended");
      const body = await readBody(c);
      checkMediaType(c, "application/json");
      const key = readIdempotencyKey((name) => c.req.header(name));
      refuseQuery(c);
      const params = readJsonBody(body);
      return { partner, key, params, asked: readShape(fundRequest, params) };
    };
    const outcome = await bookAdmitted(admit, ({ partner, key, params, asked }) =>
      deps.booking.fund({
        client: partner.id,
        admissionVersion: partner.admissionVersion,
        key,
        fingerprint: idempotencyFingerprint({ method: c.req.method, path: c.req.path, params }, hostBytes),
        amountHalalas: asked.amountHalalas,
        id: uuidFor(deps),
        request: uuidOfRequest(exchange.requestId),
      }), deps);
    return outcomeReply(outcome, exchange);
  };
}

import { hostBytes, idempotencyFingerprint, quoteRequest } from "@gold-partner/protocol";
import { checkMediaType, readBody, readJsonBody, readShape } from "./admission/body/read_body.ts";
import { refuseQuery } from "./admission/query/read_query.ts";
import { readIdempotencyKey } from "./admission/signature/header_forms.ts";
import { bookAdmitted, identify, type Route, uuidFor, uuidOfRequest } from "./corridor.ts";
import type { Deps } from "./deps.ts";
import { outcomeReply } from "./reply.ts";

export function quoteRoute(deps: Deps): Route {
  return async (c) => {
    const exchange = c.get("exchange");
    const admit = async () => {
      const { partner } = await identify(c, deps);
      const body = await readBody(c);
      checkMediaType(c, "application/json");
      const key = readIdempotencyKey((name) => c.req.header(name));
      refuseQuery(c);
      const params = readJsonBody(body);
      return { partner, key, params, asked: readShape(quoteRequest, params) };
    };
    const outcome = await bookAdmitted(admit, ({ partner, key, params, asked }) =>
      deps.booking.quote({
        client: partner.id,
        admissionVersion: partner.admissionVersion,
        key,
        fingerprint: idempotencyFingerprint({ method: c.req.method, path: c.req.path, params }, hostBytes),
        asked,
        maximumTenthMilligrams: partner.maximumTenthMilligrams,
        id: uuidFor(deps),
        request: uuidOfRequest(exchange.requestId),
      }), deps);
    return outcomeReply(outcome, exchange);
  };
}

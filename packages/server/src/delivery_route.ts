import { emptyRequest, hostBytes, ID_PREFIX, idempotencyFingerprint, uuidOfId } from "@gold-partner/protocol";
import { checkMediaType, readBody, readJsonBody, readShape } from "./admission/body/read_body.ts";
import { refuseQuery } from "./admission/query/read_query.ts";
import { readIdempotencyKey } from "./admission/signature/header_forms.ts";
import type { Outcome } from "./booking/outcome.ts";
import type { DeliveryItem } from "./booking/redelivery/book_redelivery.ts";
import { type AppContext, bookAdmitted, identify, type Route, uuidFor, uuidOfRequest } from "./corridor.ts";
import type { Deps } from "./deps.ts";
import { outcomeReply } from "./reply.ts";

/** Requests that one of the partner's events is sent again. */
export function redeliveryRoute(deps: Deps): Route {
  return corridor(deps, (write, c) => {
    const event = uuidOfId(ID_PREFIX.event, c.req.param("event_id") ?? "") ?? null;
    return deps.booking.redeliver({ ...write, event });
  });
}

/** Creates a test event for the partner's webhook. */
export function webhookTestRoute(deps: Deps): Route {
  return corridor(deps, (write) => deps.booking.testWebhook({ ...write, id: uuidFor(deps) }));
}

/** The steps of an unsigned write without data in its body. Its path holds all parameters. */
function corridor(deps: Deps, book: (write: DeliveryItem, c: AppContext) => Promise<Outcome>): Route {
  return async (c) => {
    const exchange = c.get("exchange");
    const admit = async () => {
      const { partner } = await identify(c, deps);
      const body = await readBody(c);
      // The body holds no data, so it is optional.
      const said = body.length > 0;
      if (said) checkMediaType(c, "application/json");
      const key = readIdempotencyKey((name) => c.req.header(name));
      refuseQuery(c);
      if (said) readShape(emptyRequest, readJsonBody(body));
      return { partner, key };
    };
    const request = { method: c.req.method, path: c.req.path, params: {} };
    const outcome = await bookAdmitted(admit, ({ partner, key }) =>
      book({
        client: partner.id,
        admissionVersion: partner.admissionVersion,
        key,
        fingerprint: idempotencyFingerprint(request, hostBytes),
        request: uuidOfRequest(exchange.requestId),
      }, c), deps);
    return outcomeReply(outcome, exchange);
  };
}

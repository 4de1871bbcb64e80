import { emptyRequest, ID_PREFIX, uuidOfId } from "@gold-partner/protocol";
import { admitCaller } from "../admission/admit_caller.ts";
import { withoutSignature } from "../admission/admit_write.ts";
import type { Deps } from "./deps.ts";
import type { Route } from "../http/context.ts";
import { newUuid } from "../operations/new_uuid.ts";
import { writeRoute } from "./write_pipeline.ts";

const WRITE_WITHOUT_PARAMETERS = {
  schema: emptyRequest,
  admit: admitCaller,
  bodyIsOptional: true,
  authenticate: withoutSignature,
} as const;

/** Handles the request to send one of the partner's events again. */
export function redeliveryRoute(deps: Deps): Route {
  return writeRoute(deps, {
    ...WRITE_WITHOUT_PARAMETERS,
    book: ({ write }, c) => {
      const event = uuidOfId(ID_PREFIX.event, c.req.param("event_id") ?? "") ?? null;
      return deps.booking.redeliver({ event, ...write });
    },
  });
}

/** Creates a test event for the partner's webhook. */
export function webhookTestRoute(deps: Deps): Route {
  return writeRoute(deps, {
    ...WRITE_WITHOUT_PARAMETERS,
    book: ({ write }) => deps.booking.testWebhook({ id: newUuid(deps), ...write }),
  });
}

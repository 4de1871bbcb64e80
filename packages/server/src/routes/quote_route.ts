import { quoteRequest } from "@gold-partner/protocol";
import { admitCaller } from "../admission/admit_caller.ts";
import { withoutSignature } from "../admission/admit_write.ts";
import type { Deps } from "./deps.ts";
import type { Route } from "../http/context.ts";
import { newUuid } from "../operations/new_uuid.ts";
import { writeRoute } from "./write_pipeline.ts";

export function quoteRoute(deps: Deps): Route {
  return writeRoute(deps, {
    admit: admitCaller,
    schema: quoteRequest,
    authenticate: withoutSignature,
    book: ({ write, asked, partner: { maximumTenthMilligrams } }) =>
      deps.booking.quote({ asked, maximumTenthMilligrams, id: newUuid(deps), ...write }),
  });
}

import { fundRequest } from "@gold-partner/protocol";
import { admitCallerWithOptionalToken } from "../admission/admit_caller.ts";
import { withoutToken } from "../admission/admit_write.ts";
import type { Deps } from "./deps.ts";
import type { Route } from "../http/context.ts";
import { newUuid } from "../operations/new_uuid.ts";
import { writeRoute } from "./write_pipeline.ts";

/** Funds a sandbox partner. The token is optional, but a token that is sent must be valid. */
export function fundingRoute(deps: Deps): Route {
  return writeRoute(deps, {
    schema: fundRequest,
    admit: admitCallerWithOptionalToken,
    authenticate: withoutToken,
    book: ({ write, asked }) => deps.booking.fund({ id: newUuid(deps), ...asked, ...write }),
  });
}

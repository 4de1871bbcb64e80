import { withdrawalRequest } from "@gold-partner/protocol";
import { admitCaller } from "../admission/admit_caller.ts";
import type { Deps } from "./deps.ts";
import type { Route } from "../http/context.ts";
import { newUuid } from "../operations/new_uuid.ts";
import { authenticateWrite } from "./authenticate_write.ts";
import { writeRoute } from "./write_pipeline.ts";

export function withdrawalRoute(deps: Deps): Route {
  return writeRoute(deps, {
    admit: admitCaller,
    schema: withdrawalRequest,
    authenticate: authenticateWrite,
    book: ({ write, asked }) => deps.booking.withdraw({ id: newUuid(deps), asked, ...write }),
  });
}

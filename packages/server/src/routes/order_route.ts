import { orderRequest } from "@gold-partner/protocol";
import { admitCaller } from "../admission/admit_caller.ts";
import type { Deps } from "./deps.ts";
import type { Route } from "../http/context.ts";
import { authenticateWrite } from "./authenticate_write.ts";
import { writeRoute } from "./write_pipeline.ts";

export function orderRoute(deps: Deps): Route {
  return writeRoute(deps, {
    admit: admitCaller,
    schema: orderRequest,
    authenticate: (...request) => deps.booking.expectOrder(authenticateWrite(...request)),
    book: ({ write, asked }) => deps.booking.order({ asked, ...write }),
  });
}

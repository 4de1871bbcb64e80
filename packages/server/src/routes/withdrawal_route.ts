import { emptyRequest, ID_PREFIX, uuidOfId, withdrawalRequest } from "@gold-partner/protocol";
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

/** Cancels a withdrawal that waits for its approval. */
export function cancellationRoute(deps: Deps): Route {
  return writeRoute(deps, {
    admit: admitCaller,
    schema: emptyRequest,
    authenticate: authenticateWrite,
    book: ({ write }, c) => {
      const id = uuidOfId(ID_PREFIX.withdrawal, c.req.param("withdrawal_id") ?? "") ?? null;
      return deps.booking.cancelWithdrawal({ id, ...write });
    },
  });
}

import { eventsQuery, PAGE_DEFAULT_ITEMS } from "@gold-partner/protocol";
import { readQuery } from "../admission/query/read_query.ts";
import { admitCaller } from "../admission/admit_caller.ts";
import type { Route } from "../http/context.ts";
import type { Deps } from "./deps.ts";
import { jsonTextReply } from "../http/reply.ts";
import { pageText } from "./page.ts";

/** Lists events, oldest first. next_cursor is the value of `after` for the next page. */
export function eventsRoute(deps: Deps): Route {
  return async (c) => {
    const { partner } = await admitCaller(c, deps);
    const { after = 0, limit = PAGE_DEFAULT_ITEMS } = readQuery(c, eventsQuery);
    const rows = await deps.reads.events(partner.id, after, limit + 1);
    return jsonTextReply(pageText(rows, limit, ({ sequence }) => sequence), c.get("exchange"));
  };
}

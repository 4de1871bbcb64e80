import {
  type FilteredListQuery,
  filteredListQuery,
  ID_PREFIX,
  listQuery,
  PAGE_DEFAULT_ITEMS,
  uuidOfId,
} from "@gold-partner/protocol";
import { readQuery, refuseQuery } from "../admission/query/read_query.ts";
import { admitCaller } from "../admission/admit_caller.ts";
import type { Route } from "../http/context.ts";
import type { Deps } from "./deps.ts";
import { readCursor, writeCursor } from "../reads/cursor.ts";
import type { ListedKind, RecordKind } from "../reads/record_reads.ts";
import { Refusal } from "../http/refusal.ts";
import { jsonTextReply } from "../http/reply.ts";
import { pageText } from "./page.ts";

/** Reads one record by its id. A malformed id, an unknown id and another partner's id get the same answer. */
export function recordRoute(kind: RecordKind, deps: Deps): Route {
  return async (c) => {
    const { partner } = await admitCaller(c, deps);
    refuseQuery(c);
    const uuid = uuidOfId(ID_PREFIX[kind], c.req.param(`${kind}_id`) ?? "");
    const text = uuid && await deps.reads.find(kind, partner.id, uuid);
    if (!text) throw new Refusal("not_found", `There is no ${kind} of yours with this id.`);
    return jsonTextReply(text, c.get("exchange"));
  };
}

/** Reads a page of records, newest first. */
export function listRoute(kind: ListedKind, deps: Deps): Route {
  return async (c) => {
    const { partner } = await admitCaller(c, deps);
    const query: FilteredListQuery = readQuery(c, kind === "funding" ? listQuery : filteredListQuery);
    const { limit = PAGE_DEFAULT_ITEMS, cursor } = query;
    const scope = { list: kind, clientId: partner.publicId };
    const bounds = {
      createdAfter: query.created_after ?? null,
      createdBefore: query.created_before ?? null,
      idempotencyKey: query.idempotency_key ?? null,
      reference: query.reference ?? null,
      accountLabel: query.account_label ?? null,
      below: cursor === undefined ? null : readCursor(scope, cursor),
    };
    // Read one row more than the page contains, to find out whether there is another page.
    const rows = await deps.reads.list(kind, partner.id, bounds, limit + 1);
    const page = pageText(rows, limit, ({ sequence }) => writeCursor(scope, sequence));
    return jsonTextReply(page, c.get("exchange"));
  };
}

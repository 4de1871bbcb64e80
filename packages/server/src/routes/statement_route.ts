import { statementQuery } from "@gold-partner/protocol";
import { readQuery } from "../admission/query/read_query.ts";
import { admitCaller } from "../admission/admit_caller.ts";
import type { AppContext, Route } from "../http/context.ts";
import type { Deps } from "./deps.ts";
import { prefersCsv } from "../reads/media_type.ts";
import { writeStatementCsv, writeStatementJson } from "../reads/statement.ts";
import { streamReply } from "../http/reply.ts";
import { errorFields } from "../operations/log.ts";

const CSV_MEDIA_TYPE = "text/csv; charset=utf-8; header=present";
const JSON_MEDIA_TYPE = "application/json";

export function statementRoute(deps: Deps): Route {
  return async (c) => {
    const { partner } = await admitCaller(c, deps);
    const days = readQuery(c, statementQuery);
    const range = await deps.reads.statementRange(partner.id, days.from, days.to);
    const [mediaType, parts] = prefersCsv(c.req.header("accept"))
      ? [CSV_MEDIA_TYPE, writeStatementCsv(deps.reads, partner.id, range)]
      : [JSON_MEDIA_TYPE, writeStatementJson(deps.reads, partner.id, days, range)];
    return streamReply(reportFailure(parts, c, deps), mediaType, c, { Vary: "Accept" });
  };
}

/**
 * Reports a failure in the middle of a statement in the log and a metric, because the status is already sent.
 */
async function* reportFailure(
  parts: AsyncGenerator<string>,
  c: AppContext,
  { log, metrics }: Deps,
): AsyncGenerator<string> {
  try {
    yield* parts;
  } catch (error) {
    log("error", "statement broken off", {
      request_id: c.get("exchange").requestId,
      ...errorFields(error),
    });
    metrics.count("gold_unexpected_errors_total");
    throw error;
  }
}

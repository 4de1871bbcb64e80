import { statementQuery } from "@gold-partner/protocol";
import { readQuery } from "../admission/query/read_query.ts";
import { type AppContext, identify, type Route } from "../corridor.ts";
import type { Deps } from "../deps.ts";
import { prefersCsv } from "../reads/media_type.ts";
import { writeStatementCsv, writeStatementJson } from "../reads/statement.ts";
import { streamReply } from "../reply.ts";

const CSV_MEDIA_TYPE = "text/csv; charset=utf-8; header=present";
const JSON_MEDIA_TYPE = "application/json";

export function statementRoute(deps: Deps): Route {
  return async (c) => {
    const { partner } = await identify(c, deps);
    const days = readQuery(c, statementQuery);
    const range = await deps.reads.statementRange(partner.id, days.from, days.to);
    const [mediaType, parts] = prefersCsv(c.req.header("accept"))
      ? [CSV_MEDIA_TYPE, writeStatementCsv(deps.reads, partner.id, range)]
      : [JSON_MEDIA_TYPE, writeStatementJson(deps.reads, partner.id, days, range)];
    return streamReply(reportFailure(parts, c, deps), mediaType, c.get("exchange"), { Vary: "Accept" });
  };
}

/** The status went out long before, so what breaks a statement off shows in the log alone. */
async function* reportFailure(
  parts: AsyncGenerator<string>,
  c: AppContext,
  { log, metrics }: Deps,
): AsyncGenerator<string> {
  try {
    yield* parts;
  } catch (error) {
    const { name, code } = error as { name?: string; code?: string };
    log("error", "statement broken off", {
      request_id: c.get("exchange").requestId,
      ...(name ? { error_name: name } : {}),
      ...(typeof code === "string" ? { sqlstate: code } : {}),
    });
    metrics.count("gold_unexpected_errors_total");
    // Whoever serves the stream may print what it ends with, past the log's list of what may be said.
    throw new Error("the statement broke off");
  }
}

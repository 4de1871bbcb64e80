import { openApiDocument } from "@gold-partner/protocol";
import { refuseQuery } from "./admission/query/read_query.ts";
import { enter, type Route } from "./corridor.ts";
import type { Deps } from "./deps.ts";
import { jsonTextReply } from "./reply.ts";

/** GET /openapi.json: what this deployment offers, under its own URL. It cannot change while the service runs. */
export function openApiRoute(deps: Deps): Route {
  const { publicBaseUrl, environment } = deps.config;
  const document = JSON.stringify(openApiDocument({ baseUrl: publicBaseUrl, environment }));
  return async (c) => {
    await enter(c, deps);
    refuseQuery(c);
    return jsonTextReply(document, c.get("requestId"));
  };
}

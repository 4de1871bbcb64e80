import { hostBytes, REQUEST_HEADER } from "@gold-partner/protocol";
import { refuseQuery } from "../admission/query/read_query.ts";
import { admitCertificateAlone } from "../admission/admit_caller.ts";
import type { Route } from "../http/context.ts";
import type { Deps } from "./deps.ts";
import { fixedReply } from "../http/reply.ts";

/**
 * Serves content that does not change while the service runs, so its ETag is computed once. A request needs a
 * certificate but no token.
 */
export function fixedRoute(
  mediaType: string,
  text: string | Promise<string>,
  deps: Deps,
  headers: Readonly<Record<string, string>> = {},
): Route {
  const fixed = Promise.resolve(text).then((body) => {
    const tag = `"${hostBytes.sha256Hex(hostBytes.utf8(body))}"`;
    return { mediaType, body, tag, headers };
  });
  return async (c) => {
    await admitCertificateAlone(c, deps);
    refuseQuery(c);
    return fixedReply(await fixed, c.req.header(REQUEST_HEADER.ifNoneMatch), c.get("exchange"));
  };
}

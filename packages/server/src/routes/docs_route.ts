import { ENDPOINTS, type Json } from "@gold-partner/protocol";
import { admitCertificateAlone } from "../admission/admit_caller.ts";
import { refuseQuery } from "../admission/query/read_query.ts";
import type { Route } from "../http/context.ts";
import type { Deps } from "./deps.ts";
import { redirectReply } from "../http/reply.ts";
import { errorsPage } from "./docs_page/errors.ts";
import { PAGE_POLICY } from "./docs_page/page.ts";
import { referencePage } from "./docs_page/reference.ts";
import { fixedRoute } from "./fixed_route.ts";

/** GET /docs: the API description of this deployment as an HTML page. */
export function referenceRoute(description: Json, deps: Deps): Route {
  return pageRoute(referencePage(description), deps);
}

/** GET /docs/errors: the page that the `type` of a problem links to. */
export function errorCatalogueRoute(deps: Deps): Route {
  return pageRoute(errorsPage(), deps);
}

/** GET / and GET /docs/: redirect a browser to the reference. */
export const toReferenceRoute = (deps: Deps): Route => async (c) => {
  await admitCertificateAlone(c, deps);
  refuseQuery(c);
  return redirectReply(ENDPOINTS.getReference.path, c.get("exchange"));
};

function pageRoute(page: Promise<string>, deps: Deps): Route {
  return fixedRoute("text/html; charset=utf-8", page, deps, {
    "Content-Security-Policy": PAGE_POLICY,
    "X-Content-Type-Options": "nosniff",
  });
}

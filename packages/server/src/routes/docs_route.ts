import type { Json } from "@gold-partner/protocol";
import type { Route } from "../http/context.ts";
import type { Deps } from "../deps.ts";
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

function pageRoute(page: Promise<string>, deps: Deps): Route {
  return fixedRoute("text/html; charset=utf-8", page, deps, {
    "Content-Security-Policy": PAGE_POLICY,
    "X-Content-Type-Options": "nosniff",
  });
}

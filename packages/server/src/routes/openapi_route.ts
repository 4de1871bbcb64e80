import type { Json } from "@gold-partner/protocol";
import type { Route } from "../http/context.ts";
import type { Deps } from "./deps.ts";
import { fixedRoute } from "./fixed_route.ts";

/** GET /openapi.json: the API description of this deployment, with its own base URL. */
export function openApiRoute(description: Json, deps: Deps): Route {
  return fixedRoute("application/json", JSON.stringify(description), deps);
}

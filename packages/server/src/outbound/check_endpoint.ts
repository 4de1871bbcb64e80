import { EndpointError, findDestination, type Rules } from "./destination.ts";
import { createResolver, type ResolveHost } from "./resolve_host.ts";

/**
 * What is wrong with an endpoint that is to be registered; undefined where nothing is. After `dns_failed` it may be registered
 * all the same: the name may come into being later, or be known to the service alone, and each attempt judges it again.
 */
export async function checkEndpoint(
  url: string,
  rules: Rules,
  resolve: ResolveHost = createResolver(),
): Promise<EndpointError | undefined> {
  try {
    await findDestination(url, rules, resolve);
    return undefined;
  } catch (error) {
    if (error instanceof EndpointError) return error;
    throw error;
  }
}

import { EndpointError, findDestination, type Rules } from "./destination.ts";
import { createResolver, type ResolveHost } from "./resolve_host.ts";

/**
 * Checks an endpoint before it is registered. Returns its fault, or undefined. An endpoint with `dns_failed`
 * may still be registered, because the name may not exist yet, or only the service can resolve it. Each
 * delivery attempt checks the endpoint again.
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

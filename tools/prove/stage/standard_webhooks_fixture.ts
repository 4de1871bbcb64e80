import type { IncomingHttpHeaders } from "node:http";
import { Webhook } from "standardwebhooks";

/** Returns the fault that the public library finds in a delivery; undefined if the delivery verifies. */
export function findFault(secret: string, body: string, headers: IncomingHttpHeaders): string | undefined {
  try {
    new Webhook(secret).verify(body, headers as Record<string, string>);
    return undefined;
  } catch (error) {
    return (error as Error).message;
  }
}

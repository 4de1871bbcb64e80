import type { IncomingHttpHeaders } from "node:http";
import { Webhook } from "standardwebhooks";

/** Returns what the public library finds wrong with a delivery; undefined if it verifies. */
export function findFault(secret: string, body: string, headers: IncomingHttpHeaders): string | undefined {
  try {
    new Webhook(secret).verify(body, headers as Record<string, string>);
    return undefined;
  } catch (error) {
    return (error as Error).message;
  }
}

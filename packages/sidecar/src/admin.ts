import { request } from "node:http";
import type { UnixAddress } from "./settings_values.ts";

const TIMEOUT_MS = 5000;

/** Sends a request to Envoy's admin interface, which listens only on a Unix socket. */
export function askAdmin(
  { path: socketPath }: UnixAddress,
  method: "GET" | "POST",
  path: string,
): Promise<string> {
  return new Promise((resolve, reject) => {
    const outgoing = request({ socketPath, method, path, agent: false, timeout: TIMEOUT_MS }, (answer) => {
      const parts: Buffer[] = [];
      answer.on("data", (part: Buffer) => parts.push(part)).on("error", reject).on("end", () => {
        const text = Buffer.concat(parts).toString();
        if (answer.statusCode === 200) resolve(text);
        else {reject(
            new Error(`Envoy's admin interface replied to ${path} with ${answer.statusCode}: ${text.trim()}`),
          );}
      });
    });
    outgoing.on(
      "timeout",
      () => outgoing.destroy(new Error(`Envoy did not answer ${path} within ${TIMEOUT_MS / 1000} s.`)),
    );
    outgoing.on("error", reject).end();
  });
}

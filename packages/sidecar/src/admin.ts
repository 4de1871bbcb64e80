import { request } from "node:http";
import type { Address } from "./settings.ts";

const PATIENCE_MS = 5000;

/** Asks Envoy's own administration, which only this machine reaches. */
export function askAdmin(address: Address, method: "GET" | "POST", path: string): Promise<string> {
  const where = address.kind === "unix"
    ? { socketPath: address.path }
    : { host: address.host, port: address.port };
  return new Promise((resolve, reject) => {
    const asked = request({ ...where, method, path, agent: false, timeout: PATIENCE_MS }, (answer) => {
      const parts: Buffer[] = [];
      answer.on("data", (part: Buffer) => parts.push(part)).on("error", reject).on("end", () => {
        const text = Buffer.concat(parts).toString();
        if (answer.statusCode === 200) resolve(text);
        else reject(new Error(`Envoy answers ${path} with ${answer.statusCode}: ${text.trim()}`));
      });
    });
    asked.on("timeout", () => asked.destroy(new Error(`Envoy did not answer ${path} in time.`)));
    asked.on("error", reject).end();
  });
}

import { request } from "node:http";

/** How many requests the service has answered, by `ROUTE STATUS`. */
export type ServiceCounts = ReadonlyMap<string, number>;

const SERIES = /^gold_requests_total\{route="([^"]*)",status="(\d{3})"\} (\d+)$/gm;

/** Reads the service's own metrics directly, without any proxy. */
export async function readCounts(operationsSocket: string): Promise<ServiceCounts> {
  const text = await new Promise<string>((resolve, reject) => {
    const outgoing = request({ socketPath: operationsSocket, path: "/metrics", agent: false }, (reply) => {
      let text = "";
      reply.setEncoding("utf8").on("data", (part) => text += part).on("end", () => resolve(text));
    });
    outgoing.on("error", reject).end();
  });
  return new Map(
    [...text.matchAll(SERIES)].map(([, route, status, count]) => [`${route} ${status}`, Number(count)]),
  );
}

/** Returns how many requests were answered between two readings, without those that `without` counts. */
export function countsBetween(
  before: ServiceCounts,
  after: ServiceCounts,
  without: ServiceCounts = new Map(),
): Record<string, number> {
  const grown = [...after].map(([what, count]) =>
    [what, count - (before.get(what) ?? 0) - (without.get(what) ?? 0)] as const
  );
  return Object.fromEntries(grown.filter(([, count]) => count !== 0).sort());
}

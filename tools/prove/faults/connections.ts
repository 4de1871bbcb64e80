import { until } from "../../testing/until.ts";
import type { Finding } from "../stage/report.ts";

/** The most connections that a process with both roles and two lanes opens (docs/deployment.md). */
const MOST_CONNECTIONS = 29;

/**
 * Waits until each process has a connection to the database, and no process has too many. If a
 * process did not close the connections that a fault broke, Postgres would refuse new ones after some faults.
 */
export async function checkConnections(
  count: () => Promise<number>,
  processes: number,
): Promise<Finding> {
  const most = MOST_CONNECTIONS * processes;
  const isMet = () => count().then((open) => open >= processes && open <= most);
  const violations = await until(isMet, count)
    .then(() => [], () => [`not between ${processes} and ${most}`]);
  return { what: `${await count()} open, at most ${most}`, violations };
}

import { listFiles } from "../check/tree.ts";

/**
 * "plain" tests run everywhere. "external" tests are the external checks, which need external tools. "pg"
 * tests are the plain tests that use Postgres.
 */
export type Tier = "plain" | "external" | "pg";

/** Lists the test files of a tier. If `below` is not empty, only those below its paths are listed. */
export function listTestFiles(root: string, tier: Tier, below: readonly string[]): string[] {
  const prefixes = below.map((path) => path.replace(/^\.\//, "").replace(/\/$/, ""));
  return listFiles(root).filter((path) =>
    path.endsWith(".test.ts") &&
    path.endsWith(".external.test.ts") === (tier === "external") &&
    (tier !== "pg" || path.endsWith(".pg.test.ts")) &&
    (prefixes.length === 0 || prefixes.some((prefix) => path === prefix || path.startsWith(`${prefix}/`)))
  );
}

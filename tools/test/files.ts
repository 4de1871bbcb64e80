import { listFiles } from "../check/tree.ts";

/**
 * "external" are the external checks, which need external tools. "nightly" are those of clusters, deployments
 * and load tests, which .ci/nightly runs. "plain" are all other tests. "pg" are the plain tests that use
 * Postgres.
 */
export type Tier = "plain" | "external" | "nightly" | "pg";

const isOf = (tier: Tier, path: string) => path.endsWith(`.${tier}.test.ts`);

/** Lists the test files of a tier. If `below` has paths, lists only the files at or below these paths. */
export function listTestFiles(root: string, tier: Tier, below: readonly string[]): string[] {
  const prefixes = below.map((path) => path.replace(/^\.\//, "").replace(/\/$/, ""));
  return listFiles(root).filter((path) =>
    path.endsWith(".test.ts") &&
    (tier === "plain" ? !isOf("external", path) && !isOf("nightly", path) : isOf(tier, path)) &&
    (prefixes.length === 0 || prefixes.some((prefix) => path === prefix || path.startsWith(`${prefix}/`)))
  );
}

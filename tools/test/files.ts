import { listFiles } from "../check/tree.ts";

/** "plain" tests run everywhere; "judge" tests need a real part that npm does not have; "pg" are the plain ones on Postgres. */
export type Tier = "plain" | "judge" | "pg";

/** The test files of a tier, by choice only those below the given paths. */
export function listTestFiles(root: string, tier: Tier, below: readonly string[]): string[] {
  const prefixes = below.map((path) => path.replace(/^\.\//, "").replace(/\/$/, ""));
  return listFiles(root).filter((path) =>
    path.endsWith(".test.ts") &&
    path.endsWith(".judge.test.ts") === (tier === "judge") &&
    (tier !== "pg" || path.endsWith(".pg.test.ts")) &&
    (prefixes.length === 0 || prefixes.some((prefix) => path === prefix || path.startsWith(`${prefix}/`)))
  );
}

/** The package with "slow types": TypeScript can only infer the types of its zod schemas. */
const INFERRED = "packages/protocol";

/**
 * Returns the arguments of deno to publish the package in `folder`. Its tree may have uncommitted changes.
 */
export function jsrArguments(folder: string): readonly string[] {
  const slow = folder === INFERRED ? ["--allow-slow-types"] : [];
  return ["publish", "--allow-dirty", "--no-provenance", ...slow];
}

/** The package with "slow types": TypeScript can only infer the types of its zod schemas. */
const INFERRED = "packages/protocol";

/**
 * Returns the arguments for deno that publish the package in `folder`. They allow uncommitted changes in the
 * tree.
 */
export function jsrArguments(folder: string): readonly string[] {
  const slow = folder === INFERRED ? ["--allow-slow-types"] : [];
  return ["publish", "--allow-dirty", "--no-provenance", ...slow];
}

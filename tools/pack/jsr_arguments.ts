/** The types of zod's schemas can only be inferred. */
const INFERRED = "packages/protocol";

/** Arguments that make Deno publish the package in `folder`, whose tree may differ from the last commit. */
export function jsrArguments(folder: string): readonly string[] {
  const slow = folder === INFERRED ? ["--allow-slow-types"] : [];
  return ["publish", "--allow-dirty", "--no-provenance", ...slow];
}

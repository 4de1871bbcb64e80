import { parseArgs } from "node:util";

/** What a process does: serve partners (api), deliver committed events (delivery), or both (all). */
export const ROLES = ["all", "api", "delivery"] as const;
export type Role = (typeof ROLES)[number];

/**
 * Returns the role that `--role` names, or `all` without `--role`. Returns undefined for any other argument.
 */
export function readRole(args: readonly string[]): Role | undefined {
  try {
    const { role } =
      parseArgs({ args: [...args], options: { role: { type: "string", default: "all" } } }).values;
    return ROLES.find((one) => one === role);
  } catch {
    return undefined;
  }
}

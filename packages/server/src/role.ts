import { parseArgs } from "node:util";

/** What a process does: serve partners (api), deliver committed events (delivery), or both (all). */
export const ROLES = ["all", "api", "delivery"] as const;
export type Role = (typeof ROLES)[number];

/** The role in the command line, all by default. Undefined for an unknown role or any other argument. */
export function readRole(args: readonly string[]): Role | undefined {
  try {
    const { role } =
      parseArgs({ args: [...args], options: { role: { type: "string", default: "all" } } }).values;
    return ROLES.find((one) => one === role);
  } catch {
    return undefined;
  }
}

import { parseArgs } from "node:util";

/** What a process of the service does: serve partners, deliver what was committed, or both. */
export const ROLES = ["all", "api", "delivery"] as const;
export type Role = (typeof ROLES)[number];

/** The role that the command line names; undefined where it names none that there is, or says something else. */
export function readRole(args: readonly string[]): Role | undefined {
  try {
    const { role } =
      parseArgs({ args: [...args], options: { role: { type: "string", default: "all" } } }).values;
    return ROLES.find((one) => one === role);
  } catch {
    return undefined;
  }
}

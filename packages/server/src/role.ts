import { parseArgs } from "node:util";

/** What a process of the service does: serve partners, deliver what was committed, or both. */
export type Role = "all" | "api" | "delivery";

const isRole = (text: string): text is Role => ["all", "api", "delivery"].includes(text);

/** The role that the command line names; undefined where it names none that there is, or says something else. */
export function readRole(args: readonly string[]): Role | undefined {
  try {
    const { role } =
      parseArgs({ args: [...args], options: { role: { type: "string", default: "all" } } }).values;
    return isRole(role) ? role : undefined;
  } catch {
    return undefined;
  }
}

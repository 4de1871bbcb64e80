/** The partner's commands, for use from a program. */
export type { Terminal } from "./command.ts";
export { goldPartner } from "./gold_partner.ts";

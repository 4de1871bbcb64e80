import type { Ticket } from "./ticket.ts";
import type { Partner } from "./registry/snapshot.ts";

/** A caller whose request was counted against the partner's rate. */
export type Counted<Who extends { readonly partner: Partner }> = Ticket<"Counted", Who>;

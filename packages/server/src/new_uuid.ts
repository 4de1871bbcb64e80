import { ID_PREFIX, newId } from "@gold-partner/protocol";
import type { Deps } from "./deps.ts";

/** A new uuid for a row, ordered by time. */
export const newUuid = ({ now, random }: Pick<Deps, "now" | "random">): string =>
  newId(ID_PREFIX.request, now(), random).slice(ID_PREFIX.request.length);

import { ID_PREFIX, newId } from "@gold-partner/protocol";

/** A new uuid for a row, ordered by time. */
export const newUuid = ({ now, random }: { now(): number; random(length: number): Uint8Array }): string =>
  newId(ID_PREFIX.request, now(), random).slice(ID_PREFIX.request.length);

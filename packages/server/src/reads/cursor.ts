import { hostBytes } from "@gold-partner/protocol";
import { Refusal } from "../refusal.ts";

/** What a cursor belongs to: one list of one partner. */
interface CursorScope {
  readonly list: string;
  readonly clientId: string;
}

/** Where the next page goes on: below the number of the last record of this one. */
export function writeCursor({ list, clientId }: CursorScope, sequence: string): string {
  return hostBytes.base64url(hostBytes.utf8(`${list}.${clientId}.${sequence}`));
}

/** The number that the page stays below. There is one spelling of a cursor, so what was not written here is refused. */
export function readCursor(scope: CursorScope, cursor: string): string {
  const sequence = decode(cursor).split(".").at(-1)!;
  if (/^[1-9][0-9]{0,17}$/.test(sequence) && writeCursor(scope, sequence) === cursor) return sequence;
  const detail = "This is no cursor of this list: send next_cursor of its page before, unchanged.";
  throw new Refusal("invalid_request", detail, [{ name: "cursor", detail }]);
}

function decode(cursor: string): string {
  try {
    return atob(cursor.replaceAll("-", "+").replaceAll("_", "/"));
  } catch {
    return "";
  }
}

import { hostBytes } from "@gold-partner/protocol";
import { Refusal } from "../http/refusal.ts";

/** A cursor is valid for one list of one partner. */
interface CursorScope {
  readonly list: string;
  readonly clientId: string;
}

/**
 * Returns the cursor of the next page. `sequence` is the number of this page's last record; the next page
 * contains only lower numbers.
 */
export function writeCursor({ list, clientId }: CursorScope, sequence: string): string {
  return hostBytes.base64url(hostBytes.utf8(`${list}.${clientId}.${sequence}`));
}

/**
 * Returns the number in the cursor. The page contains only records with lower numbers.
 *
 * A cursor has exactly one spelling: encoding the number again must give the same text. Anything else is
 * refused, such as a cursor of another list or partner.
 */
export function readCursor(scope: CursorScope, cursor: string): string {
  const sequence = decode(cursor).split(".").at(-1)!;
  if (/^[1-9][0-9]{0,17}$/.test(sequence) && writeCursor(scope, sequence) === cursor) return sequence;
  const detail = "cursor is not valid for this list. Send next_cursor of the previous page, unchanged.";
  throw new Refusal("invalid_request", detail, [{ name: "cursor", detail }]);
}

function decode(cursor: string): string {
  try {
    return atob(cursor.replaceAll("-", "+").replaceAll("_", "/"));
  } catch {
    return "";
  }
}

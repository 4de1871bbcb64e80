import type { ListedOrRest } from "../reads/record_reads.ts";

/**
 * Builds a list's reply. The caller must read `limit + 1` rows: the extra row shows that another page
 * follows. So does a last row without a body (ListedOrRest).
 */
export function pageText(
  rows: readonly ListedOrRest[],
  limit: number,
  cursorAfter: (last: ListedOrRest) => string,
): string {
  const rest = rows.find(({ body }) => body === null);
  const shown = rows.filter(({ body }) => body !== null).slice(0, limit);
  const last = rest ?? (rows.length > limit ? shown.at(-1) : undefined);
  const next = last ? cursorAfter(last) : null;
  return `{"items":[${shown.map(({ body }) => body).join(",")}],"next_cursor":${JSON.stringify(next)}}`;
}

import type { Listed } from "../reads/record_reads.ts";

/**
 * Builds a list's reply. The caller must read `limit + 1` rows: the extra row shows that another page
 * follows.
 */
export function pageText(
  rows: readonly Listed[],
  limit: number,
  cursorAfter: (last: Listed) => string,
): string {
  const shown = rows.slice(0, limit);
  const next = rows.length > limit ? cursorAfter(shown.at(-1)!) : null;
  return `{"items":[${shown.map(({ body }) => body).join(",")}],"next_cursor":${JSON.stringify(next)}}`;
}

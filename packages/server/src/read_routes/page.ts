import type { Listed } from "../reads/record_reads.ts";

/** A list's reply from its rows, of which one more than the limit was asked for. */
export function pageText(
  rows: readonly Listed[],
  limit: number,
  cursorAfter: (last: Listed) => string,
): string {
  const shown = rows.slice(0, limit);
  const next = rows.length > limit ? cursorAfter(shown.at(-1)!) : null;
  return `{"items":[${shown.map(({ body }) => body).join(",")}],"next_cursor":${JSON.stringify(next)}}`;
}

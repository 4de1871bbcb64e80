import { usage } from "./failure.ts";

const WHOLE = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;
/** The last 4 to 12 digits of an id. A table shows eight, such as chg_…d1c7b9d6. */
const END = /^…?([0-9a-f]{4,12})$/;

/**
 * Returns the whole id for the end of an id, as tables show it. Any other text is returned as it is: the service
 * says what is wrong with it.
 *
 * @param text What the person gave, with or without prefix and ellipsis.
 * @param prefix The beginning of such ids, such as `wd_`.
 * @param listIds Lists the ids that may be meant.
 * @throws Failure `usage` if no id or more than one ends in this way.
 */
export async function wholeId(
  text: string,
  prefix: string,
  listIds: () => Promise<readonly string[]>,
): Promise<string> {
  const bare = text.startsWith(prefix) ? text.slice(prefix.length) : text;
  if (WHOLE.test(bare)) return prefix + bare;
  const [, end] = END.exec(bare) ?? [];
  if (end === undefined) return text;
  const ids = await listIds();
  const found = ids.filter((id) => id.endsWith(end));
  if (found.length === 1) return found[0]!;
  const which = found.length === 0 ? `none of your newest ${ids.length} ids ends` : `${found.length} ids end`;
  throw usage(`${text} must match one id: ${which} with ${end}. Give the whole id, which --json shows.`);
}

import type { Command, Invocation } from "../../command.ts";
import { EXIT, Failure } from "../../failure.ts";
import { findByPart, type Found } from "../../resolve_ids.ts";

const find: Command = {
  words: "find",
  usage: "find TEXT",
  does:
    "finds records of all partners by an id or the end of one, an idempotency key, a reference, a bank reference, a key, the serial number of a bar, or the beginning of a partner's name",
  takes: ["TEXT"],
  async run({ read, positionals: [text] }) {
    const items = await findRecords(read, text!);
    if (items.length > 0) return { items: items.map((one) => ({ ...one })) };
    throw new Failure(
      EXIT.refused,
      "not_found",
      `Nothing was found for ${text}. The references of orders, and the ends of the ids of orders and quotes, are searched ` +
        "among the newest 50 of each partner.",
    );
  },
};

export const FIND_COMMANDS: readonly Command[] = [find];

/** Searches all kinds of records. */
async function findRecords(query: Invocation["read"], text: string): Promise<readonly Found[]> {
  const wanted = text.replaceAll("\0", "").trim();
  const [whole, parts] = await Promise.all([
    query`select kind, id, coalesce(name || ' ' || client_id, name, '') as about from gold.find_records(${wanted})`,
    findByPart(query, wanted),
  ]);
  const found = [...whole.map(({ kind, id, about }): Found => ({ kind, id, about })), ...parts];
  return [...new Map(found.map((one) => [one.id, one])).values()];
}

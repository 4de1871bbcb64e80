import { setTimeout as sleep } from "node:timers/promises";
import type { Command } from "../../command.ts";
import { type InboxItem, readInbox } from "../../views/inbox.ts";

const POLL_MS = 2_000;

const inbox: Command = {
  words: "inbox",
  usage: "inbox [--watch]",
  does:
    "lists what waits for a person, with the command that deals with it; with --watch, goes on, and prints what is new",
  options: { watch: { type: "boolean" } },
  async run({ values, read, print, aside }) {
    const items = await readInbox(read);
    if (!values.watch) return { items };
    print({ items });
    const known = new Set(items.map(keyOf));
    for (;;) {
      await aside(() => sleep(POLL_MS));
      const fresh = (await readInbox(read)).filter((item) => !known.has(keyOf(item)));
      if (fresh.length > 0) print({ items: fresh });
      for (const item of fresh) known.add(keyOf(item));
    }
  },
};

export const INBOX_COMMANDS: readonly Command[] = [inbox];

const keyOf = ({ waits, next, since }: InboxItem): string => [waits, next, since].join("\n");

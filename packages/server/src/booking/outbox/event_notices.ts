import type { Sql } from "postgres";

/** Notices go together where there are many: each takes a lock of the whole cluster when it commits. */
const APART_MS = 3;

/** Tells the workers that deliver that clients have new events, where these can be sent. */
export interface EventNotices {
  tell(client: number): void;
}

/**
 * After the commit and on a connection of its own, so that no order waits for it. One that is lost costs a second at most: then
 * the workers look by themselves.
 */
export function openEventNotices(sql: Sql): EventNotices {
  const clients = new Set<number>();
  let underWay = false;
  const send = async () => {
    underWay = true;
    // A batch of orders tells of all its clients at once.
    for (await undefined; clients.size > 0; await new Promise((resolve) => setTimeout(resolve, APART_MS))) {
      const told = `{${[...clients].join(",")}}`;
      clients.clear();
      await sql`select gold.tell_events(${told}::text::int[])`.catch(() => {});
    }
    underWay = false;
  };
  return {
    tell(client) {
      clients.add(client);
      if (!underWay) void send();
    },
  };
}

import type { Query } from "../../database/query.ts";

/**
 * The pause between two statements that notify, so that one statement covers more clients. The commit of each
 * such statement takes a lock on the whole database cluster.
 */
const APART_MS = 3;

/** Notifies the delivery workers of clients that have new events, if the events can be sent. */
export interface EventNotices {
  notify(client: number): void;
}

/**
 * Notifications are sent after the commit and on a separate connection, so that no order waits for them. A
 * lost notification delays an event by at most a second, because then the workers look for events themselves.
 */
export function openEventNotices(sql: Query): EventNotices {
  const clients = new Set<number>();
  let sending = false;
  const send = async () => {
    sending = true;
    // Wait once before the first statement, so that it notifies of all clients of a batch of orders.
    for (await undefined; clients.size > 0; await new Promise((resolve) => setTimeout(resolve, APART_MS))) {
      const notified = `{${[...clients].join(",")}}`;
      clients.clear();
      await sql`select gold.tell_events(${notified}::text::int[])`.catch(() => {});
    }
    sending = false;
  };
  return {
    notify(client) {
      clients.add(client);
      if (!sending) void send();
    },
  };
}

import type { Trader } from "../stage/trader.ts";
import { FAULTS } from "./behaviour.ts";
import { addFurther, behaviourBeside, DEAD_AND_SLOW, removeFurther } from "./further_endpoints.ts";
import type { Trouble } from "./pairs.ts";
import type { Setup } from "./setup.ts";

/**
 * Makes the first endpoints of partner number `first` and of all later partners fail. Each receiver gets the next
 * kind of failure in the list.
 */
export function sickFrom({ deployment, receivers }: Setup, first: number): Trouble {
  const { length } = deployment.traders;
  return {
    name: `${length - first} failing receivers`,
    begin: () =>
      receivers.behave((n) => n < first || n >= length ? "well" : FAULTS[(n - first) % FAULTS.length]!),
    async end() {
      await receivers.behave(() => "well");
      // Set the URL again. Even with the same value, this enables an endpoint and ends its pause after
      // failures.
      for (const [n, { clientId }] of deployment.traders.entries()) {
        if (n >= first) await deployment.operator("partner set", clientId, "--webhook", receivers.urls[n]!);
      }
    },
  };
}

/** Each partner that can have three endpoints gets a dead and a slow one besides its first one. */
export function deadAndSlow(setup: Setup): Trouble {
  return {
    name: "a dead and a slow endpoint of the same partner",
    async begin() {
      await addFurther(setup, DEAD_AND_SLOW);
      await setup.receivers.behave(behaviourBeside(setup, DEAD_AND_SLOW, "well"));
    },
    async end() {
      await removeFurther(setup);
      await setup.receivers.behave(() => "well");
    },
  };
}

/** The last partner's receiver hangs, and this many events wait for it. */
export async function backlogOf({ deployment, receivers }: Setup, events: number): Promise<Trouble> {
  const last = deployment.traders.length - 1;
  const dead = deployment.traders[last]!;
  const setUrl = (url: string | null) =>
    deployment.sql`update gold.receiver set url = ${url ?? ""}, removed_at = ${
      url === null ? new Date() : null
    } where id = ${dead.client}`;
  await setUrl(null);
  await preload(deployment.sql, dead, events);
  await receivers.behave((n) => n < last ? "well" : "hangs");
  return {
    name: `${events} events waiting for a receiver that hangs`,
    async begin() {
      await setUrl(receivers.urls[last]!);
      await deployment.sql`select gold.enable_receiver(${dead.client}::int)`;
    },
    end: async () => void await setUrl(null),
  };
}

/**
 * Inserts the events in one transaction and seals all of them, so that a complete backlog exists before the
 * receiver's URL is set.
 */
async function preload(sql: Setup["deployment"]["sql"], { client }: Trader, events: number): Promise<void> {
  await sql.begin(async (tx) => {
    const [account] = await tx`
      select event_sequence from gold.account where client_id = ${client} for no key update`;
    await tx`
      insert into gold.event (bucket, client_id, sequence, id, subject, created_at, type)
      select ${client}::int % 64, ${client}::int, ${
      account!.event_sequence
    }::text::bigint + n, id, id, now(), 'webhook.test'
      from (select n, gen_random_uuid() as id from generate_series(1, ${events}::int) n) made`;
    await tx`
      update gold.account set event_sequence = event_sequence + ${events}::int, last_posted_at = now() where client_id = ${client}`;
  });
  const isUnsealed = async () => {
    const [row] = await sql`
      select from gold.account a join gold.chain_tail t using (bucket, client_id)
      where a.client_id = ${client} and a.event_sequence > t.sequence`;
    return row !== undefined;
  };
  while (await isUnsealed()) await sql`select gold.seal_next(array[${client}::int])`;
}

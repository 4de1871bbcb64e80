import process from "node:process";
import { REPLY_HEADER } from "@gold-partner/protocol";
import type { Caller } from "./caller_fixture.ts";
import type { Stack } from "./stack_fixture.ts";

/** Ends a disturbance. Afterwards the service accepts the refused request again. */
export type Mend = () => Promise<unknown>;

/** Suspends the partner. Its writes are refused at once, even before the service re-reads its registry. */
export async function suspend({ operator }: Stack, partner: Caller): Promise<Mend> {
  await operator("partner suspend", partner.credentials.client_id);
  return async () => {
    await operator("partner resume", partner.credentials.client_id);
    await partner.until(({ ok }) => ok);
  };
}

export async function forbidAddress({ operator }: Stack, partner: Caller): Promise<Mend> {
  const allow = (...ips: string[]) =>
    operator("partner set", partner.credentials.client_id, ...ips.flatMap((ip) => ["--ip", ip]));
  await allow("192.0.2.1/32");
  await partner.until(({ status }) => status === 403);
  return async () => {
    await allow("127.0.0.1/32", "::1/128");
    await partner.until(({ ok }) => ok);
  };
}

/** Limits the partner to one request a second, and uses up the request of this second. */
export async function exhaustRate({ operator }: Stack, partner: Caller): Promise<Mend> {
  const setRate = async (perSecond: string) => {
    await operator("partner set", partner.credentials.client_id, "--rate", perSecond, "--burst", perSecond);
    const isSet = (policy: string | null) => policy?.includes(`q=${perSecond};`) === true;
    await partner.until(({ headers }) => isSet(headers.get(REPLY_HEADER.rateLimitPolicy)));
  };
  await setRate("1");
  return () => setRate("2000");
}

/**
 * Sends bad tokens until the certificate reaches its limit of failures. For the next second, every bad token
 * gets 429.
 */
export async function failAuthentication(partner: Caller): Promise<void> {
  const fail = () => partner.call("getLimits", { token: "nonsense" });
  for (let status = 0; status !== 429; { status } = await fail());
}

/** Switches to a price source that has never answered. */
export async function takePriceAway({ operator }: Stack): Promise<Mend> {
  await operator("price set --source http --url https://prices.invalid/gold");
  return () => operator("price set --source fixed --mid 500");
}

export async function closeMarket({ operator }: Stack): Promise<Mend> {
  await operator("price set --open never");
  return () => operator("price set --open always");
}

/**
 * Makes the quote expire by changing its row, because a test cannot advance the database's clock. Triggers
 * forbid changes of a quote, so this function disables them.
 */
export async function letExpire({ sql }: Stack, quoteId: string): Promise<Mend> {
  const move = (minutes: number) =>
    sql.begin(async (transaction) => {
      await transaction`set local session_replication_role = replica`;
      await transaction`
        update gold.quote set expires_at = expires_at + make_interval(mins => ${minutes})
        where id = ${quoteId.slice("qt_".length)}`;
    });
  await move(-2);
  return () => move(2);
}

/** Takes the lock that every write of this partner needs. */
export async function holdAccount({ sql }: Stack, { credentials }: Caller): Promise<Mend> {
  const session = await sql.reserve();
  await session`begin`;
  await session`
    select from gold.account a join gold.partner p on p.id = a.client_id
    where p.public_id = ${credentials.client_id} for update of a`;
  return async () => {
    await session`rollback`;
    session.release();
  };
}

/** Renames a table that is needed to book a withdrawal. */
export async function hideTable({ sql }: Stack): Promise<Mend> {
  await sql`alter table gold.withdrawal_step rename to hidden_step`;
  return () => sql`alter table gold.hidden_step rename to withdrawal_step`;
}

export async function cutDatabase({ sql, partner }: Stack, from: Caller): Promise<Mend> {
  await sql`alter role gold_api connection limit 0`;
  await sql`select pg_terminate_backend(pid) from pg_stat_activity where usename = 'gold_api'`;
  // Wait for a 503, because before that a request may use a database connection that is just closing. Its
  // outcome is then unknown.
  await from.until(({ status }) => status === 503, "createWithdrawal", { body: { amount_sar: 1 } });
  return async () => {
    await sql`alter role gold_api connection limit -1`;
    await partner.until(({ ok }) => ok, "getHealth");
  };
}

/** Pauses the service's process with SIGSTOP. The process stays alive but answers nothing. */
export async function haltService({ pids, partner }: Stack): Promise<Mend> {
  process.kill(pids.server, "SIGSTOP");
  return async () => {
    process.kill(pids.server, "SIGCONT");
    await partner.until(({ ok }) => ok);
  };
}

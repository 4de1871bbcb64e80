import process from "node:process";
import { setTimeout as sleep } from "node:timers/promises";
import { REPLY_HEADER, type TokenProblemCode } from "@gold-partner/protocol";
import { type Scene, type Staged, type Way, WITHDRAWAL } from "./way_trial.ts";

const withdrawal = (stage: (scene: Scene) => Promise<Staged>): Way => ({
  operation: "createWithdrawal",
  stage,
});
const ONE_SECOND_MS = 1000;

/** The service, the proxy or the database cannot. */
export const AVAILABILITY_WAYS = {
  rate_limited: withdrawal(async ({ house: { operator }, other }) => {
    const { client_id } = other.credentials;
    const setRate = async (perSecond: string, burst: string) => {
      await operator("partner set", client_id, "--rate", perSecond, "--burst", burst);
      await other.until(({ headers }) => headers.get(REPLY_HEADER.rateLimitPolicy)!.includes(`q=${burst};`));
    };
    await setRate("1", "1");
    // The rate itself lets the next one pass; what is set back is for the tests that follow.
    const mend = async () => {
      await sleep(ONE_SECOND_MS);
      await setRate("2000", "2000");
    };
    return { caller: other, call: WITHDRAWAL, mend };
  }),
  internal_error: withdrawal(async ({ house: { sql }, partner }) => {
    await sql`alter table gold.withdrawal_step rename to step_elsewhere`;
    return {
      caller: partner,
      call: WITHDRAWAL,
      mend: () => sql`alter table gold.step_elsewhere rename to withdrawal_step`,
    };
  }),
  service_unavailable: withdrawal(async ({ house: { sql }, partner }) => {
    await sql`alter role gold_api connection limit 0`;
    await sql`select pg_terminate_backend(pid) from pg_stat_activity where usename = 'gold_api'`;
    // Until the service has seen its connections end, it cannot tell what became of what it sends.
    await sleep(ONE_SECOND_MS);
    const mend = async () => {
      await sql`alter role gold_api connection limit -1`;
      await partner.until(({ ok }) => ok, "getHealth");
    };
    return { caller: partner, call: WITHDRAWAL, mend };
  }),
  upstream_unavailable: withdrawal(async ({ partner, emptyDoor }) => {
    return { caller: partner, call: WITHDRAWAL, from: partner.through(emptyDoor) };
  }),
  upstream_timeout: withdrawal(async ({ house: { pids }, partner, hastyDoor }) => {
    process.kill(pids.server, "SIGSTOP");
    const mend = async () => {
      process.kill(pids.server, "SIGCONT");
      await partner.until(({ ok }) => ok);
    };
    return { caller: partner, call: WITHDRAWAL, from: partner.through(hastyDoor), mend };
  }),
} as const satisfies Partial<Record<TokenProblemCode, Way>>;

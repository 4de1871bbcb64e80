import { writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import type { Finding } from "../stage/report.ts";
import { AccountClients } from "./account_clients.ts";
import type { RoundRecord } from "./client.ts";
import type { AccountState, FaultStage } from "./fault_stage.ts";
import { affectsRequests, type Effect } from "./effects.ts";
import { findAnomalies } from "./history.ts";
import { describePlan, type Plan, type Strike } from "./plan.ts";

/**
 * A request must not take longer. The service notices a silent database after 17 s at most
 * (docs/deployment.md), and a second fault lasts 2.5 s.
 */
const LIMIT_MS = 20_000;
/** How long a partner waits whose own connection is broken. */
const OWN_LIMIT_MS = 2000;
/** The partners continue to work for this time after the last fault. */
const AFTER_MS = 300;

interface Round extends Finding, Effect {
  /** The orders that were answered with success. */
  readonly executedOrders: readonly string[];
  /** The accounts at the end of the round. */
  readonly accountStates: readonly AccountState[];
}

/** Lets partners trade while faults strike, recovers, and checks what the partners saw. */
export async function playRound(
  plan: Plan,
  stage: FaultStage,
  from: readonly AccountState[],
): Promise<Round> {
  const mayTimeOut = plan.strikes.some(({ fault }) => fault.breaksPartner);
  const record: RoundRecord = {
    attempts: [],
    violations: [],
    replyLimitMs: mayTimeOut ? OWN_LIMIT_MS : LIMIT_MS,
    mayTimeOut,
  };
  const fromMs = performance.now();
  const accounts = stage.deployment.traders.map((trader, n) =>
    new AccountClients(trader, stage.ports, plan.seed, record, from[n]!)
  );
  const struck = await Promise.all(plan.strikes.map((strike) => strikeFor(strike, stage)));
  const missed = plan.strikes.filter((_, n) => !struck[n]).map(({ fault }) =>
    `${fault.name} found no process`
  );
  await stage.recover();
  const recoveredMs = performance.now();
  await sleep(AFTER_MS);
  await Promise.all(accounts.map((account) => account.finish()));
  const name = join(tmpdir(), `gold-faults-${plan.seed}`);
  const histories = accounts.map(({ history }) => history);
  const violations = [
    ...record.violations,
    // A second fault may just have ended every process that the first one could strike.
    ...plan.strikes.length === 1 ? missed : [],
    ...findAnomalies(histories, `${name}.html`),
  ];
  if (violations.length > 0) {
    const { attempts } = record;
    writeFileSync(`${name}.json`, JSON.stringify({ ...plan, violations, attempts, histories }, undefined, 1));
  }
  const disturbed = record.attempts.filter(({ verdict }) => !/^2|^4/.test(verdict));
  const slowest = record.attempts.reduce((one, other) => one.tookMs > other.tookMs ? one : other);
  const effect = { disturbed: disturbed.length, slowestMs: slowest.tookMs };
  const operations = histories.reduce((sum, history) => sum + history.operations.length, 0);
  return {
    what: `${[describePlan(plan), ...missed].join(", ")}: ${record.attempts.length} requests, ` +
      `${disturbed.length} refused or unanswered${affectsRequests(effect) ? "" : ", no request affected"}, ` +
      `the slowest (${slowest.request}: ${slowest.verdict}) took ${seconds(slowest.tookMs)}; ` +
      `recovered ${seconds(recoveredMs - fromMs)} after the start; ${operations} operations checked` +
      (violations.length === 0 ? "" : `; recorded in ${name}.json`),
    violations,
    executedOrders: accounts.flatMap(({ executedOrders }) => executedOrders),
    ...effect,
    accountStates: await stage.readAccounts(),
  };
}

/** Returns false if there was no process to strike. */
async function strikeFor({ fault, settings, atMs, lengthMs }: Strike, stage: FaultStage): Promise<boolean> {
  await sleep(atMs);
  const repair = await fault.strike(stage, settings);
  if (repair) await stage.repairAfter(lengthMs, repair);
  return repair !== undefined;
}

const seconds = (ms: number): string => `${(ms / 1000).toFixed(1)} s`;

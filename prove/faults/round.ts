import { writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import type { Finding } from "../report.ts";
import { AccountClients } from "./account_clients.ts";
import type { Conduct } from "./client.ts";
import type { FaultStage, Standing } from "./fault_stage.ts";
import { findAnomalies } from "./history.ts";
import { describePlan, type Plan, type Strike } from "./plan.ts";

/**
 * A request must not take longer. The service notices a silent database after 17 s at most (docs/deployment.md), and a
 * second fault lasts 2.5 s.
 */
const LIMIT_MS = 20_000;
/** How long a partner waits whose own connection is broken. */
const OWN_LIMIT_MS = 2000;
/** The partners continue to work for this time after the last fault. */
const AFTER_MS = 300;

interface Round extends Finding {
  /** The orders that were answered with success. */
  readonly executedOrders: readonly string[];
  /** Requests that were refused or left without a reply. */
  readonly disturbed: number;
  readonly slowestMs: number;
  /** The accounts at the end of the round. */
  readonly standings: readonly Standing[];
}

/** Lets partners trade while faults strike, recovers, and checks what the partners saw. */
export async function playRound(plan: Plan, stage: FaultStage, from: readonly Standing[]): Promise<Round> {
  const mayTimeOut = plan.strikes.some(({ fault }) => fault.breaksPartner);
  const conduct: Conduct = {
    attempts: [],
    violations: [],
    replyLimitMs: mayTimeOut ? OWN_LIMIT_MS : LIMIT_MS,
    mayTimeOut,
  };
  const fromMs = performance.now();
  const accounts = stage.deployment.traders.map((trader, n) =>
    new AccountClients(trader, stage.ports, plan.seed, conduct, from[n]!)
  );
  await Promise.all(plan.strikes.map((strike) => strikeFor(strike, stage)));
  await stage.recover();
  const recoveredMs = performance.now();
  await sleep(AFTER_MS);
  await Promise.all(accounts.map((account) => account.finish()));
  const name = join(tmpdir(), `gold-faults-${plan.seed}`);
  const histories = accounts.map(({ history }) => history);
  const violations = [...conduct.violations, ...findAnomalies(histories, `${name}.html`)];
  if (violations.length > 0) {
    const { attempts } = conduct;
    writeFileSync(`${name}.json`, JSON.stringify({ ...plan, violations, attempts, histories }, undefined, 1));
  }
  const disturbed = conduct.attempts.filter(({ verdict }) => !/^2|^4/.test(verdict));
  const slowest = conduct.attempts.reduce((one, other) => one.tookMs > other.tookMs ? one : other);
  return {
    what:
      `${
        describePlan(plan)
      }: ${conduct.attempts.length} requests, ${disturbed.length} refused or unanswered, ` +
      `the slowest (${slowest.request}: ${slowest.verdict}) took ${seconds(slowest.tookMs)}; recovered ${
        seconds(recoveredMs - fromMs)
      } after the start; ` +
      `${histories.reduce((sum, { operations }) => sum + operations.length, 0)} operations checked${
        violations.length === 0 ? "" : `; recorded in ${name}.json`
      }`,
    violations,
    executedOrders: accounts.flatMap(({ executedOrders }) => executedOrders),
    disturbed: disturbed.length,
    slowestMs: slowest.tookMs,
    standings: await stage.readStandings(),
  };
}

async function strikeFor({ fault, settings, atMs, lengthMs }: Strike, stage: FaultStage): Promise<void> {
  await sleep(atMs);
  await stage.repairAfter(lengthMs, await fault.strike(stage, settings));
}

const seconds = (ms: number): string => `${(ms / 1000).toFixed(1)} s`;

import { mkdtemp, readdir, readFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import postgres, { type Sql } from "postgres";
import { StartedTree } from "../../testing/npm_start.ts";
import { sendSignal } from "../../testing/send_signal.ts";
import { asOperator, type Credentials, runDemo } from "@gold-partner/dev";
import { removeFolder, startPostgres } from "@gold-partner/dev/postgres";
import type { Finding } from "../stage/report.ts";
import { missingFrom, readOrders } from "../stage/stage.ts";

const ROOT = fileURLToPath(new URL("../../..", import.meta.url));
const TRADING_MS = 1500;
const TRADERS = 4;

/**
 * Kills all processes of `npm start` during trading, and starts it again. After each of these `rounds`
 * restarts, the books must have no defect and contain every acknowledged order. The last start is also killed
 * during trading, and nothing is checked after that.
 */
export async function killAndRestart(port: number, rounds: number): Promise<Finding> {
  const stateDir = await mkdtemp(join(tmpdir(), "gold-prove-start-"));
  const acknowledged = new Set<string>();
  const violations: string[] = [];
  try {
    for (let round = 0; round <= rounds; round++) {
      const tree = new StartedTree(ROOT, stateDir, ["--port", `${port}`, "--two-people"]);
      const run = await tree.untilReady();
      const look = await openSuperuser(stateDir);
      violations.push(
        ...(await findLosses(run.database_url, look, acknowledged)).map((loss) =>
          `start ${round + 1}: ${loss}`
        ),
      );
      const credentials = await readCredentials(stateDir);
      const traders = Array.from({ length: TRADERS }, () => tradeUntilCut(credentials, acknowledged));
      await sleep(TRADING_MS * (0.5 + Math.random()));
      const backends = await look<{ pid: number }[]>`select pid from pg_stat_activity`;
      for (const pid of [...Object.values(run.pids), ...backends.map((backend) => backend.pid)]) {
        sendSignal(pid, "SIGKILL");
      }
      await Promise.all(traders);
      await look.end({ timeout: 0 });
    }
  } finally {
    await removeFolder(stateDir);
  }
  return {
    what: `killed, restarted and checked ${rounds} times; ${acknowledged.size} orders acknowledged`,
    violations,
  };
}

async function openSuperuser(stateDir: string): Promise<Sql> {
  const { superuserUrl } = await startPostgres({ dataDir: join(stateDir, "postgres") });
  return postgres(superuserUrl("gold"), { max: 1, onnotice: () => {} });
}

async function findLosses(
  databaseUrl: string,
  look: Sql,
  acknowledged: ReadonlySet<string>,
): Promise<string[]> {
  const losses: string[] = [];
  await asOperator(databaseUrl)("ledger verify").catch((error: Error) => losses.push(error.message));
  const lost = missingFrom(await readOrders({ sql: look }), [...acknowledged]);
  return [...losses, ...lost.map((id) => `${id} is lost`)];
}

async function readCredentials(stateDir: string): Promise<Credentials> {
  const [clientId] = (await readdir(join(stateDir, "partners"))).filter((name) => name.startsWith("sbx_"));
  return JSON.parse(
    await readFile(join(stateDir, "partners", clientId!, "credentials.json"), "utf8"),
  ) as Credentials;
}

async function tradeUntilCut(credentials: Credentials, acknowledged: Set<string>): Promise<void> {
  try {
    for (;;) {
      await runDemo(credentials, {
        report(_step, _ms, what) {
          const order = /ord_[0-9a-f-]+/.exec(what)?.[0];
          if (order) acknowledged.add(order);
        },
      });
    }
  } catch {
    // Ignore the lost connection, because everything was killed on purpose.
  }
}

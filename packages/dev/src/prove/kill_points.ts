import { setTimeout as sleep } from "node:timers/promises";
import type { Deployment } from "./deployment.ts";
import type { Flight } from "./flight.ts";

/** The order path, kept at one of its steps. */
export interface Held {
  /** Proof, from outside, that the step is reached: the backend at which it shows, or 0 where none does. */
  show(): Promise<number | undefined>;
  release(): Promise<void>;
}

/** A step of the order path. The product knows nothing of it: locks, signals and the network keep it there. */
export interface KillPoint {
  readonly name: string;
  /** Replies are left unread in the client's socket. */
  readonly unread?: true;
  /** No backend is at work, so none can be killed. */
  readonly backendless?: true;
  /** Prepared before the requests are sent. */
  hold(deployment: Deployment, flight: Flight): Promise<Held>;
}

const ACCOUNTS = "select from gold.account where client_id in ($clients) order by client_id for update";
const VAULT = "select from gold.vault for update";
/** A commit that takes longer waits for something. */
const COMMIT_MS = 300;
const KEYS = "lock table gold.idempotency_key in share mode";

/** A transaction of somebody else's that keeps its locks until it is released, or killed with the rest. */
async function lock(deployment: Deployment, statement: string): Promise<() => Promise<void>> {
  const session = deployment.connectSuperuser(1);
  await session.unsafe("begin");
  await session.unsafe(statement);
  return () => session.end({ timeout: 0 });
}

const lockDecoy = (deployment: Deployment, { decoy }: Flight) =>
  lock(deployment, ACCOUNTS.replace("$clients", `${decoy.trader.client}`));

/** The backend that waits for a row of `table`, or for the table itself. */
async function findWaiting({ sql }: Deployment, table: string): Promise<number | undefined> {
  const [row] = await sql`
    select a.pid from pg_stat_activity a join pg_locks l on l.pid = a.pid
    where a.application_name = 'gold-partner' and a.query like '%book_orders%' and a.wait_event_type = 'Lock'
      and l.relation = ${table}::text::regclass and (l.locktype = 'tuple' or not l.granted)
    limit 1`;
  return row?.pid as number | undefined;
}

async function findAwaitingStandby({ sql }: Deployment): Promise<number | undefined> {
  const [row] = await sql`
    select pid from pg_stat_activity
    where application_name = 'gold-partner' and query like '%book_orders%' and wait_event = 'SyncRep' limit 1`;
  return row?.pid as number | undefined;
}

/** Some backend of the service, once enough of the first orders stand in the books. */
async function findAfterCommit(
  { sql }: Deployment,
  { passengers }: Flight,
  isEnough: (executed: number, first: number) => boolean,
): Promise<number | undefined> {
  const quotes = passengers.filter(({ kind }) => kind === "first").map(({ quoteId }) => quoteId.slice(3));
  const [row] = await sql`
    select (select count(*)::int from gold.orders where id = any (${`{${quotes}}`}::text::uuid[])) as executed,
      (select pid from pg_stat_activity where application_name = 'gold-partner' limit 1) as pid`;
  return isEnough(row!.executed as number, quotes.length) ? row!.pid as number : undefined;
}

/** A standby that does not exist is waited for without end: after the commit is on disk, before anybody is told. */
async function awaitNobody(deployment: Deployment): Promise<() => Promise<void>> {
  const { sql } = deployment;
  const configure = async (name: string) => {
    await sql.unsafe(`alter system set synchronous_standby_names = '${name}'`);
    await sql`select pg_reload_conf()`;
  };
  await configure("nobody");
  // The setting is in force once a commit of our own hangs on it.
  const canary = deployment.connectSuperuser(1);
  await canary`set synchronous_commit = on`;
  let hangs = false;
  while (!hangs) {
    const commit = canary`select pg_logical_emit_message(true, 'prove', '')`.then(() => false, () => false);
    hangs = await Promise.race([commit, sleep(COMMIT_MS, true)]);
  }
  return async () => {
    await configure("");
    await canary.end({ timeout: 0 });
  };
}

const written: KillPoint = {
  name: "written to the process, not read by it",
  backendless: true,
  async hold({ servers: [server] }) {
    const { pid } = server!;
    process.kill(pid, "SIGSTOP");
    return {
      show: async () => await server!.isAlive() ? undefined : 0,
      async release() {
        if (server!.runsAs(pid)) process.kill(pid, "SIGCONT");
      },
    };
  },
};

const atAccount: KillPoint = {
  name: "waiting for the client's account",
  async hold(deployment, { decoy, passengers }) {
    const clients = [decoy, ...passengers].map(({ trader }) => trader.client);
    const release = await lock(deployment, ACCOUNTS.replace("$clients", clients.join(",")));
    return { show: () => findWaiting(deployment, "gold.account"), release };
  },
};

const atVault: KillPoint = {
  name: "nonces spent, waiting for the vault",
  async hold(deployment, flight) {
    const releases = [await lockDecoy(deployment, flight), await lock(deployment, VAULT)];
    return { show: () => findWaiting(deployment, "gold.vault"), release: () => releaseAll(releases) };
  },
};

const beforeCommit: KillPoint = {
  name: "orders, transfers and events written, keys not yet",
  async hold(deployment, flight) {
    const releases = [await lockDecoy(deployment, flight), await lock(deployment, KEYS)];
    return {
      show: () => findWaiting(deployment, "gold.idempotency_key"),
      release: () => releaseAll(releases),
    };
  },
};

const committedOnDisk: KillPoint = {
  name: "committed on disk, the database not yet saying so",
  async hold(deployment, flight) {
    const releases = [await lockDecoy(deployment, flight), await awaitNobody(deployment)];
    return { show: () => findAwaitingStandby(deployment), release: () => releaseAll(releases) };
  },
};

const committedUnheard: KillPoint = {
  name: "committed, the process not yet told",
  async hold(deployment, flight) {
    const { relay } = deployment;
    const releaseVault = await lock(deployment, VAULT);
    const releaseDecoy = await lockDecoy(deployment, flight);
    let withheld = false;
    return {
      async show() {
        if (!withheld && await findWaiting(deployment, "gold.vault") !== undefined) {
          relay.withhold();
          withheld = true;
          await releaseVault();
        }
        // The batch that waited is in the books; what stands behind it in the lane is not sent yet.
        return await findAfterCommit(deployment, flight, (executed) => executed > 0);
      },
      release: () => releaseAll([releaseVault, releaseDecoy, async () => relay.pass()]),
    };
  },
};

const answeredUnread: KillPoint = {
  name: "answered, the client not reading",
  unread: true,
  hold: async (deployment, flight) => ({
    show: () => findAfterCommit(deployment, flight, (executed, first) => executed === first),
    release: async () => {},
  }),
};

async function releaseAll(releases: readonly (() => Promise<void>)[]): Promise<void> {
  for (const release of releases) await release();
}

/** In the order of the path. */
export const KILL_POINTS: readonly KillPoint[] = [
  written,
  atAccount,
  atVault,
  beforeCommit,
  committedOnDisk,
  committedUnheard,
  answeredUnread,
];

import type { Deployment } from "../stage/deployment.ts";
import type { InFlightOrders } from "../stage/in_flight_orders.ts";
import {
  findAwaitingStandby,
  findWaiting,
  freeze,
  type Held,
  lock,
  releaseAll,
  requireMissingStandby,
} from "./holds.ts";

/** A step of an order's processing. */
export interface KillPoint {
  readonly name: string;
  /** True if the client does not read the replies from its socket. */
  readonly unread?: true;
  /** True if no backend is at work that can be killed. */
  readonly backendless?: true;
  /** Called before the requests are sent. */
  hold(deployment: Deployment, orders: InFlightOrders): Promise<Held>;
}

const ACCOUNTS = "select from gold.account where client_id in ($clients) order by client_id for update";
const VAULT = "select from gold.vault for update";
const BOOK = "book_orders";
const KEYS = "lock table gold.idempotency_key in share mode";

const lockFirstAccount = (deployment: Deployment, { first }: InFlightOrders) =>
  lock(deployment, ACCOUNTS.replace("$clients", `${first.trader.client}`));

/** Returns any backend of the service, as soon as enough orders with a new key are in the books. */
async function findAfterCommit(
  { sql }: Deployment,
  { others }: InFlightOrders,
  isEnough: (executed: number, expected: number) => boolean,
): Promise<number | undefined> {
  const quotes = others.filter(({ kind }) => kind === "new").map(({ quoteId }) => quoteId.slice(3));
  const [row] = await sql`
    select (select count(*)::int from gold.orders where id = any (${`{${quotes}}`}::text::uuid[])) as executed,
      (select pid from pg_stat_activity where application_name like 'gold-partner-%' limit 1) as pid`;
  return isEnough(row!.executed as number, quotes.length) ? row!.pid as number : undefined;
}

const written: KillPoint = {
  name: "the request was sent; the process has not read it",
  backendless: true,
  hold: async (deployment) => freeze(deployment, async () => 0),
};

const atAccount: KillPoint = {
  name: "the statement waits for the client's account",
  async hold(deployment, { first, others }) {
    const clients = [first, ...others].map(({ trader }) => trader.client);
    const release = await lock(deployment, ACCOUNTS.replace("$clients", clients.join(",")));
    return { show: () => findWaiting(deployment, BOOK, "gold.account"), release };
  },
};

const atVault: KillPoint = {
  name: "accounts locked; the statement waits for the vault",
  async hold(deployment, orders) {
    const releases = [await lockFirstAccount(deployment, orders), await lock(deployment, VAULT)];
    return { show: () => findWaiting(deployment, BOOK, "gold.vault"), release: () => releaseAll(releases) };
  },
};

const beforeCommit: KillPoint = {
  name: "orders, transfers and events written; idempotency keys not yet",
  async hold(deployment, orders) {
    const releases = [await lockFirstAccount(deployment, orders), await lock(deployment, KEYS)];
    return {
      show: () => findWaiting(deployment, BOOK, "gold.idempotency_key"),
      release: () => releaseAll(releases),
    };
  },
};

const committedOnDisk: KillPoint = {
  name: "committed on disk; the database has not confirmed the commit",
  async hold(deployment, orders) {
    const releases = [await lockFirstAccount(deployment, orders), await requireMissingStandby(deployment)];
    return { show: () => findAwaitingStandby(deployment, BOOK), release: () => releaseAll(releases) };
  },
};

const committedUnheard: KillPoint = {
  name: "committed; the process has no reply yet",
  async hold(deployment, orders) {
    const { relay } = deployment;
    const releaseVault = await lock(deployment, VAULT);
    const releaseAccount = await lockFirstAccount(deployment, orders);
    let withheld = false;
    return {
      async show() {
        if (!withheld && await findWaiting(deployment, BOOK, "gold.vault") !== undefined) {
          relay.withhold();
          withheld = true;
          await releaseVault();
        }
        // Wait until the batch is in the books. The orders behind it in the batcher are not sent yet.
        return await findAfterCommit(deployment, orders, (executed) => executed > 0);
      },
      release: () => releaseAll([releaseVault, releaseAccount, async () => relay.pass()]),
    };
  },
};

const answeredUnread: KillPoint = {
  name: "answered; the client does not read",
  unread: true,
  hold: async (deployment, orders) => ({
    show: () => findAfterCommit(deployment, orders, (executed, expected) => executed === expected),
    release: async () => {},
  }),
};

/** All steps, in the order in which an order reaches them. */
export const KILL_POINTS: readonly KillPoint[] = [
  written,
  atAccount,
  atVault,
  beforeCommit,
  committedOnDisk,
  committedUnheard,
  answeredUnread,
];

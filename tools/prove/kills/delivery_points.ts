import type { Deployment } from "../stage/deployment.ts";
import {
  findAwaitingStandby,
  findWaiting,
  freeze,
  type Held,
  lock,
  releaseAll,
  requireMissingStandby,
} from "./holds.ts";
import type { Inbox } from "../stage/inboxes.ts";

/** A step of a webhook's delivery, from the order's commit to the last write about the delivery. */
export interface DeliveryPoint {
  readonly name: string;
  /**
   * True if only the delivering process knows at this step that the event arrived. If that process is killed,
   * the event arrives again.
   */
  readonly redeliversAfterKill?: true;
  /** Called before the order is sent. */
  hold(deployment: Deployment, inbox: Inbox): Promise<Held>;
}

const TAKE = "take_deliveries";
const SETTLE = "settle_attempts";

/**
 * Locks the client's row in `gold.chain_tail`. This makes the worker wait, because it needs the row to seal
 * new events before it reads them.
 */
const lockChain = (deployment: Deployment, { trader }: Inbox) =>
  lock(deployment, `select from gold.chain_tail where client_id = ${trader.client} for update`);

const lockEndpoint = (deployment: Deployment, { trader }: Inbox) =>
  lock(deployment, `select from gold.endpoint where client_id = ${trader.client} for update`);

async function findAnyBackend({ sql }: Deployment): Promise<number> {
  const [row] =
    await sql`select pid from pg_stat_activity where application_name like 'gold-partner-%' limit 1`;
  return row!.pid as number;
}

/** Lets the database execute the statement, but withholds the database's reply from the service. */
function withholdReply(
  deployment: Deployment,
  findSession: () => Promise<number | undefined>,
  release: () => Promise<void>,
): Held {
  const { relay, sql } = deployment;
  let session: number | undefined;
  return {
    async show() {
      if (session === undefined) {
        session = await findSession();
        if (session === undefined) return undefined;
        relay.withhold();
        await release();
      }
      const [row] = await sql`select pid from pg_stat_activity where pid = ${session} and state = 'idle'`;
      return row?.pid as number | undefined;
    },
    release: () => releaseAll([release, async () => relay.pass()]),
  };
}

/**
 * Holds back the receiver's answer when the event arrives, prepares the next hold, and then lets the receiver
 * answer.
 */
function afterAnswer(inbox: Inbox, prepare: () => Promise<Held>): Held {
  const letGo = inbox.holdAnswers();
  const came = inbox.arrivals.length;
  let next: Held | undefined;
  return {
    async show() {
      if (inbox.arrivals.length === came) return undefined;
      if (!next) {
        next = await prepare();
        letGo();
      }
      return await next.show();
    },
    async release() {
      await next?.release();
      letGo();
    },
  };
}

const claimed: DeliveryPoint = {
  name: "the worker claimed the endpoint and waits for its events",
  hold: async (deployment, inbox) => ({
    show: () => findWaiting(deployment, TAKE, "gold.chain_tail"),
    release: await lockChain(deployment, inbox),
  }),
};

const taken: DeliveryPoint = {
  name: "the database read the event; the worker has no reply yet",
  hold: async (deployment, inbox) =>
    withholdReply(
      deployment,
      () => findWaiting(deployment, TAKE, "gold.chain_tail"),
      await lockChain(deployment, inbox),
    ),
};

const received: DeliveryPoint = {
  name: "the receiver got the event and has not answered",
  redeliversAfterKill: true,
  async hold(deployment, inbox) {
    const letGo = inbox.holdAnswers();
    const came = inbox.arrivals.length;
    return {
      show: async () => inbox.arrivals.length > came ? await findAnyBackend(deployment) : undefined,
      release: async () => letGo(),
    };
  },
};

const answered: DeliveryPoint = {
  name: "the receiver answered; the process has not read the answer",
  redeliversAfterKill: true,
  hold: async (deployment, inbox) =>
    afterAnswer(inbox, async () => freeze(deployment, () => findAnyBackend(deployment))),
};

const settling: DeliveryPoint = {
  name: "the receiver answered; the attempt is not written yet",
  hold: async (deployment, inbox) =>
    afterAnswer(inbox, async () => ({
      show: () => findWaiting(deployment, SETTLE, "gold.attempt"),
      release: await lock(deployment, "lock table gold.attempt in share mode"),
    })),
};

const attempted: DeliveryPoint = {
  name: "the attempt is written; the statement waits for the endpoint's row",
  hold: async (deployment, inbox) =>
    afterAnswer(inbox, async () => ({
      show: () => findWaiting(deployment, SETTLE, "gold.endpoint"),
      release: await lockEndpoint(deployment, inbox),
    })),
};

const settledOnDisk: DeliveryPoint = {
  name: "the attempt is committed on disk; the database has not confirmed the commit",
  hold: async (deployment, inbox) =>
    afterAnswer(inbox, async () => ({
      show: () => findAwaitingStandby(deployment, SETTLE),
      release: await requireMissingStandby(deployment),
    })),
};

const settledWithoutReply: DeliveryPoint = {
  name: "the attempt is committed; the worker has no reply yet",
  hold: async (deployment, inbox) =>
    afterAnswer(inbox, async () =>
      withholdReply(
        deployment,
        () => findWaiting(deployment, SETTLE, "gold.endpoint"),
        await lockEndpoint(deployment, inbox),
      )),
};

/** All steps, in the order in which a delivery reaches them. */
export const DELIVERY_POINTS: readonly DeliveryPoint[] = [
  claimed,
  taken,
  received,
  answered,
  settling,
  attempted,
  settledOnDisk,
  settledWithoutReply,
];

import type { Query } from "../../database/query.ts";

const PAUSE_MS = 3_600_000;
/** The accounts of these clients are locked until the transaction commits, which takes milliseconds. */
const CLIENTS_PER_TURN = 20;

/**
 * Notifies partners of credentials that end soon. It runs at once, because a credential may have come near
 * its end while no process ran, and then once an hour. Several processes may run it: each notice is posted
 * once.
 */
export function startExpiryNotices(sql: Query, pauseMs = PAUSE_MS): { stop(): void } {
  let stopping = false;
  let underWay = false;
  const postTurn = async (): Promise<number> => {
    const [row] = await sql<
      { told: number }[]
    >`select gold.post_expiry_notices(${CLIENTS_PER_TURN}::int) as told`;
    return row!.told;
  };
  const post = async () => {
    if (underWay) return;
    underWay = true;
    try {
      while (!stopping && await postTurn() === CLIENTS_PER_TURN);
    } catch {
      // Notices that were not posted are posted an hour later. Even the last one comes a day before the end.
    } finally {
      underWay = false;
    }
  };
  const timer = setInterval(() => void post(), pauseMs);
  void post();
  return {
    stop() {
      stopping = true;
      clearInterval(timer);
    },
  };
}

import type { Sql } from "postgres";

const PAUSE_MS = 3_600_000;
/** Their accounts are held together until the turn commits, which takes milliseconds. */
const CLIENTS_PER_TURN = 20;

/**
 * Tells partners which of their credentials end soon: at once, as a credential may have come near its end while nothing ran, then
 * once an hour. Several at once are welcome: each end is told once.
 */
export function startExpiryNotices(sql: Sql, pauseMs = PAUSE_MS): { stop(): void } {
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
      // What was not told is told an hour later: the nearest notice leaves a day.
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

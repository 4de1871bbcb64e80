import type { Query } from "../../database/query.ts";

const PAUSE_MS = 3_600_000;
/** The maximum number of clients in one transaction, which locks their accounts for some milliseconds. */
const CLIENTS_PER_TURN = 20;

/**
 * Notifies partners of credentials that end soon, at the start and then once an hour. The first run does not
 * wait, because a credential may have come near its end while no process ran. Several processes may do this
 * at once: each notice is still posted only once.
 */
export function startExpiryNotices(
  sql: Query,
  onFailure: (error: unknown) => void,
  pauseMs = PAUSE_MS,
): { stop(): void } {
  let stopping = false;
  let isRunning = false;
  const postTurn = async (): Promise<number> => {
    const [row] = await sql<
      { posted: number }[]
    >`select gold.post_expiry_notices(${CLIENTS_PER_TURN}::int) as posted`;
    return row!.posted;
  };
  const post = async () => {
    if (isRunning) return;
    isRunning = true;
    try {
      while (!stopping && await postTurn() === CLIENTS_PER_TURN);
    } catch (error) {
      // The next run, an hour later, posts the missing notices. That is early enough, because even the last
      // notice is due a whole day before the credential ends.
      onFailure(error);
    } finally {
      isRunning = false;
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

import type { TrialBooks } from "@gold-partner/dev";
import type { EventRow } from "./delivery_store.ts";
import { attemptOf, endpointAt, hireWorker } from "./delivery_trial.ts";

/** A worker's hand on one partner, one call at a time: what it sends and when is the test's to say. */
export interface Hand {
  /** The mark of the endpoint that it now holds; undefined where it was given none. */
  claim(): Promise<number | undefined>;
  take(after: number, room?: number): Promise<readonly EventRow[]>;
  /** Whether the endpoint is still its own. */
  settle(
    events: readonly EventRow[],
    httpStatus: number,
    mark: { readonly from: number; readonly passed: number },
  ): Promise<boolean>;
}

export async function lendHand(books: TrialBooks, client: number): Promise<Hand> {
  const worker = await hireWorker(books);
  let tenure = 0;
  return {
    async claim() {
      await worker.renew();
      const [row] = await worker.claim([client], 1);
      if (!row) return undefined;
      tenure = row.tenure;
      return Number(row.passed);
    },
    async take(after, room = 8) {
      const rows = await worker.take([{ client, tenure, after, room }]);
      return rows.filter(({ body }) => body !== null).toSorted((one, other) =>
        Number(one.sequence) - Number(other.sequence)
      );
    },
    async settle(events, httpStatus, { from, passed }) {
      const attempts = events.map((event) => attemptOf(event, { httpStatus, againInMs: 5000 }));
      return (await worker.settle(attempts, [endpointAt(client, from, passed, { tenure })])).length === 0;
    },
  };
}

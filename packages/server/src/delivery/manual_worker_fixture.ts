import type { TestBooks } from "../../testing/books.ts";
import type { EventRow } from "./delivery_store.ts";
import { attemptOf, createWorker, endpointAt } from "./delivery_fixture.ts";

/** Runs one worker for one partner, one call at a time. The test decides what the worker sends and when. */
export interface ManualWorker {
  /** Returns the mark of the claimed endpoint; undefined if the claim got nothing. */
  claim(): Promise<number | undefined>;
  take(after: number, room?: number): Promise<readonly EventRow[]>;
  /** Returns true if the worker still holds the endpoint. */
  settle(
    events: readonly EventRow[],
    httpStatus: number,
    mark: { readonly from: number; readonly passed: number },
  ): Promise<boolean>;
}

export async function startManualWorker(books: TestBooks, client: number): Promise<ManualWorker> {
  const worker = await createWorker(books);
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

import type { WebhookStack } from "./stack.ts";
import { holdable, untilDelivered, type Worker } from "./worker.ts";

/**
 * Waits until the service has delivered all earlier events, and opens it as two workers. For `asItComes`, the
 * service seals the hash chain as part of the delivery. For `sealedBefore`, the benchmark seals the chain in
 * advance.
 */
export async function openService(stack: WebhookStack): Promise<{ asItComes: Worker; sealedBefore: Worker }> {
  const { books } = stack;
  const isDone = () => books.isDelivered();
  await untilDelivered("service", stack, { isDone }, books.atFirst);
  const asItComes: Worker = {
    ...holdable(stack.servicePid),
    database: books.sql,
    async load(count) {
      await books.book(count);
      await books.wake();
    },
    isDone,
    stop: () => {},
  };
  return {
    asItComes,
    sealedBefore: {
      ...asItComes,
      async load(count) {
        await books.book(count);
        await books.seal();
        await books.wake();
      },
    },
  };
}

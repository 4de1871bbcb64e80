// Runs graphile-worker on the same events as the other programs of this benchmark. Each job sends one event,
// and completes when the receiver answers 200. With batches, it uses the settings behind graphile-worker's
// own performance figures. Without batches, it uses the defaults.
import { Logger, run } from "graphile-worker";
import { takeTasks } from "../../testing/child_program.ts";
import { createPoster, type Post } from "./poster.ts";
import type { QueueSettings } from "./queue.ts";

const BATCHES = { localQueue: { size: 500 }, completeJobBatchDelay: 0, failJobBatchDelay: 0 };

await takeTasks<QueueSettings>(async ({ databaseUrl, queue, inFlight, inBatches, ...poster }) => {
  const post = createPoster(poster);
  await run({
    taskList: { [queue]: async (payload) => await post(payload as Post) },
    noHandleSignals: true,
    preset: {
      worker: {
        connectionString: databaseUrl,
        concurrentJobs: inFlight,
        maxPoolSize: 10,
        logger: new Logger(() => () => {}),
        ...(inBatches ? BATCHES : {}),
      },
    },
  });
  return {};
});

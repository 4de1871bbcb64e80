// Runs pg-boss on the same events as the other programs of this benchmark. Each job sends one event. A
// pg-boss worker takes a batch of jobs. When the receivers have answered 200 to all its events, the batch
// completes and the worker takes the next one. Several workers keep the connections busy.
import PgBoss from "pg-boss";
import { takeTasks } from "../../testing/child_program.ts";
import { createPoster, type Post } from "./poster.ts";
import type { QueueSettings } from "./queue.ts";

/** Half of the requests that may be in flight. Of 16, 32, 64 and 128, pg-boss was fastest with 64. */
const BATCH = 64;

await takeTasks<QueueSettings>(async ({ databaseUrl, queue, inFlight, ...poster }) => {
  const post = createPoster(poster);
  const boss = new PgBoss({ connectionString: databaseUrl, max: 10 });
  boss.on("error", (error) => console.error(error.message));
  await boss.start();
  await boss.createQueue(queue);
  for (let worker = 0; worker < inFlight / BATCH; worker++) {
    const id: string = await boss.work<Post>(
      queue,
      { batchSize: BATCH, pollingIntervalSeconds: 0.5, priority: false },
      async (jobs) => {
        await Promise.all(jobs.map(({ data }) => post(data)));
        // Fetch again now instead of at the next poll, because more jobs are usually waiting.
        boss.notifyWorker(id);
      },
    );
  }
  return {};
});

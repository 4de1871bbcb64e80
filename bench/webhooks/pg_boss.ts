// Runs pg-boss on the same work. A job is an event, and is completed when it was answered with 200. A pg-boss
// worker takes a batch, and gets the next one when the whole batch is done. Several workers keep the
// connections busy.
import PgBoss from "pg-boss";
import { takeTasks } from "../child_program.ts";
import { createPoster, type Post } from "./poster.ts";
import type { QueueSettings } from "./queue.ts";

/** Half of what may be in flight. pg-boss was fastest with this value, of 16, 32, 64 and 128. */
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
        // After work there is usually more, so fetch again now instead of at the next poll.
        boss.notifyWorker(id);
      },
    );
  }
  return {};
});

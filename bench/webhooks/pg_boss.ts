// pg-boss at the same work: a job is an event, and one that was answered with 200 is completed. A worker of pg-boss
// takes a batch, and has the next one when the whole batch is done; several of them keep the connections busy.
import PgBoss from "pg-boss";
import { takeErrands } from "../child_program.ts";
import { createPoster, type Post } from "./poster.ts";
import type { QueueSettings } from "./queue.ts";

/** Half of what may be in flight: its own best of 16, 32, 64 and 128. */
const BATCH = 64;

await takeErrands<QueueSettings>(async ({ databaseUrl, queue, inFlight, ...poster }) => {
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
        // Where there was work there is more: it need not wait until the next poll.
        boss.notifyWorker(id);
      },
    );
  }
  return {};
});

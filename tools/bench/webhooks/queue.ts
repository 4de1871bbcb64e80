// The job queues that the benchmark compares with the service. Each has its own database on the same
// Postgres, with thousands of jobs.
import { randomUUID } from "node:crypto";
import { startProgram } from "../../testing/child_program.ts";
import { IN_FLIGHT, type WebhookStack } from "./stack.ts";
import type { PosterSettings } from "./poster.ts";
import { holdable, type Worker } from "./worker.ts";

/** The settings of the program that works on a queue. */
export interface QueueSettings extends PosterSettings {
  readonly databaseUrl: string;
  readonly queue: string;
  readonly inFlight: number;
  readonly inBatches: boolean;
}

/** A queue's program, and the SQL that the queue documents. */
interface QueueForms {
  readonly program: URL;
  /** Adds a job for each row of `jobs`. */
  readonly add: string;
  /** Finds a job that is not completed. */
  readonly find: string;
  /** True if the queue takes and completes jobs in batches. */
  readonly inBatches: boolean;
}

const QUEUE = "webhooks";

export const PG_BOSS: QueueForms = {
  program: new URL("./pg_boss.ts", import.meta.url),
  add: `insert into pgboss.job (name, data) select '${QUEUE}', payload from jobs`,
  find: `select from pgboss.job where name = '${QUEUE}' and state < 'completed' limit 1`,
  inBatches: true,
};

export const GRAPHILE_WORKER: QueueForms = {
  program: new URL("./graphile_worker.ts", import.meta.url),
  add: `
    select count(*) from graphile_worker.add_jobs(array(
      select ('${QUEUE}', payload::json, null, null, null, null, null, null)::graphile_worker.job_spec from jobs))`,
  find: "select from graphile_worker.jobs limit 1",
  inBatches: true,
};

/** Opens a worker of a queue, with its own database. */
export async function openQueue(stack: WebhookStack, forms: QueueForms): Promise<Worker> {
  const database = `queue_${randomUUID().replaceAll("-", "")}`;
  await stack.connect("postgres").unsafe(`create database ${database}`);
  const sql = stack.connect(database);
  await sql`create table payload (number int primary key, payload jsonb not null)`;
  for (const [number, post] of stack.books.posts.entries()) {
    await sql`insert into payload values (${number}, ${sql.json({ ...post })})`;
  }
  const program = startProgram(forms.program);
  const settings: QueueSettings = {
    ...stack.poster,
    databaseUrl: stack.databaseUrl(database),
    queue: QUEUE,
    inFlight: IN_FLIGHT,
    inBatches: forms.inBatches,
  };
  await program.ask(settings);
  return {
    ...holdable(program.pid),
    database: sql,
    async load(count) {
      await sql.unsafe(`${jobs(count, stack.books.posts.length)} ${forms.add}`);
      // Vacuum now, as autovacuum would do in time. Otherwise the planner has no statistics of the new rows,
      // and the queue's queries read dead rows.
      await sql`vacuum analyze`;
    },
    isDone: async () => (await sql.unsafe(forms.find)).length === 0,
    stop: () => program.stop(),
  };
}

const jobs = (count: number, payloads: number): string => `
  with jobs as (
    select payload from generate_series(0, ${count - 1}) n join payload on number = n % ${payloads}
  )`;

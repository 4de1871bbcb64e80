import { startProgram } from "../../testing/child_program.ts";
import type { Report, Requests, Settings, Task } from "./generator.ts";

/** The parent's handle on the generator process. */
export interface GeneratorProcess {
  prepare(requests: Requests): Promise<void>;
  /** Sends the next `count` prepared requests, or all that remain. */
  run(count?: number): Promise<Report>;
  /** The ids of the quotes that the prepared requests created, in the order of the requests. */
  readQuoteIds(): Promise<readonly string[]>;
  stop(): void;
}

export async function startGenerator(settings: Settings): Promise<GeneratorProcess> {
  const { ask, stop } = startProgram(new URL("./generator.ts", import.meta.url));
  const send = <Reply>(task: Task) => ask<Reply>(task);
  await send({ settings });
  return {
    prepare: (prepare) => send({ prepare }),
    run: (count) => send<Report>({ run: count ?? "all" }),
    readQuoteIds: async () => (await send<{ quoteIds: string[] }>({ quoteIds: true })).quoteIds,
    stop,
  };
}

import { startProgram } from "../child_program.ts";
import type { Errand, Report, Requests, Settings } from "./generator.ts";

/** The generator from outside. */
export interface GeneratorProcess {
  prepare(requests: Requests): Promise<void>;
  run(): Promise<Report>;
  stop(): void;
}

export async function startGenerator(settings: Settings): Promise<GeneratorProcess> {
  const { ask, stop } = startProgram(new URL("./generator.ts", import.meta.url));
  const send = <Reply>(errand: Errand) => ask<Reply>(errand);
  await send({ settings });
  return {
    prepare: (prepare) => send({ prepare }),
    run: () => send<Report>({ run: true }),
    stop,
  };
}

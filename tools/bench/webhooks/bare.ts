import { startProgram } from "../../testing/child_program.ts";
import { IN_FLIGHT, type WebhookStack } from "./stack.ts";
import { holdable, type Worker } from "./worker.ts";

/**
 * Opens the bare loop as a worker. The loop records nothing, so it is done when all its posts are answered.
 */
export async function openBareLoop({ poster, books }: WebhookStack): Promise<Worker> {
  const program = startProgram(new URL("./bare_loop.ts", import.meta.url));
  await program.ask({ settings: { ...poster, posts: books.posts, inFlight: IN_FLIGHT } });
  let sending: Promise<unknown> = Promise.resolve();
  return {
    ...holdable(program.pid),
    // Starts when the program is released, because a paused program does not read this command.
    load: async (send) => void (sending = program.ask({ send })),
    isDone: () => sending.then(() => true),
    stop: () => program.stop(),
  };
}

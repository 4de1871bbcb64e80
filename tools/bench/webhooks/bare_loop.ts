// Posts bodies from memory in a loop and records nothing. Its cost is a lower limit for workers that record
// their deliveries.
import { takeTasks } from "../../testing/child_program.ts";
import { inFlight } from "../harness.ts";
import { createPoster, type Post, type PosterSettings } from "./poster.ts";

type BareTask =
  | { readonly settings: PosterSettings & { readonly inFlight: number; readonly posts: readonly Post[] } }
  | { readonly send: number };

let send: (count: number) => void | Promise<void> = () => {};

await takeTasks<BareTask>(async (task) => {
  if ("send" in task) {
    await send(task.send);
  } else {
    const { posts, inFlight: width, ...poster } = task.settings;
    const post = createPoster(poster);
    send = inFlight(width, (index) => post(posts[index % posts.length]!));
  }
  return {};
});

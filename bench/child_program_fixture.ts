// A test program. It replies with the text that it receives, fails on an empty text, and waits 30 s on
// "long".
import { setTimeout as sleep } from "node:timers/promises";
import { takeTasks } from "./child_program.ts";

const LONG_MS = 30_000;

await takeTasks<{ readonly say: string }>(async ({ say }) => {
  if (say === "") throw new Error("nothing to say");
  if (say === "long") await sleep(LONG_MS);
  return { said: say };
});

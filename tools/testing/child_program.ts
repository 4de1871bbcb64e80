// Runs a program of a benchmark or a proof in its own process. The program receives commands and sends replies,
// one JSON object per line.
import { type ChildProcessByStdio, spawn } from "node:child_process";
import { once } from "node:events";
import process from "node:process";
import { createInterface } from "node:readline";
import type { Readable, Writable } from "node:stream";
import { fileURLToPath } from "node:url";
import { toolArguments } from "./runtime_arguments.ts";

/** The parent's handle on the program. */
export interface ChildProgram {
  readonly pid: number;
  ask<Reply>(task: unknown): Promise<Reply>;
  /** Ends the program. Resolves when it has exited. */
  stop(): Promise<void>;
}

export function startProgram(program: URL): ChildProgram {
  const child: ChildProcessByStdio<Writable, Readable, null> = spawn(
    process.execPath,
    toolArguments(fileURLToPath(program)),
    { stdio: ["pipe", "pipe", "inherit"] },
  );
  // Ignore write errors: if the program has ended, reading its replies reports that.
  child.stdin.on("error", () => {});
  const replies = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  return {
    pid: child.pid!,
    async ask<Reply>(task: unknown): Promise<Reply> {
      child.stdin.write(`${JSON.stringify(task)}\n`);
      const { value, done } = await replies.next();
      const name = program.pathname.split("/").at(-1);
      if (done) throw new Error(`${name} ended before it replied.`);
      const reply = JSON.parse(value) as Reply & { error?: string };
      if (reply.error !== undefined) throw new Error(`${name} failed: ${reply.error}`);
      return reply;
    },
    async stop() {
      child.stdin.end();
      if (child.exitCode === null && child.signalCode === null) await once(child, "exit");
    },
  };
}

/** Runs inside the program. Executes one command after another until its standard input closes. */
export async function takeTasks<Task>(act: (task: Task) => Promise<object>): Promise<never> {
  const lines = createInterface({ input: process.stdin });
  // Exit even in the middle of a command, because the parent that sent the command has ended.
  lines.once("close", () => process.exit(0));
  for await (const line of lines) {
    const reply = await act(JSON.parse(line) as Task).catch((error: Error) => ({ error: error.message }));
    console.log(JSON.stringify(reply));
  }
  process.exit(0);
}

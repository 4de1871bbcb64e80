import { type ChildProcessByStdio, spawn } from "node:child_process";
import process from "node:process";
import { createInterface } from "node:readline";
import type { Readable, Writable } from "node:stream";
import { fileURLToPath } from "node:url";
import type { Errand, Orders, Report, Settings } from "./generator.ts";

const PROGRAM = fileURLToPath(new URL("./generator.ts", import.meta.url));
const RUNTIME_ARGUMENTS = process.versions["deno"] ? ["run", "--no-check", "-A"] : ["--import", "tsx"];

/** The generator from outside. */
export interface GeneratorProcess {
  prepare(orders: Orders): Promise<void>;
  run(): Promise<Report>;
  stop(): void;
}

export async function startGenerator(settings: Settings): Promise<GeneratorProcess> {
  const child: ChildProcessByStdio<Writable, Readable, null> = spawn(
    process.execPath,
    [...RUNTIME_ARGUMENTS, PROGRAM],
    { stdio: ["pipe", "pipe", "inherit"] },
  );
  const replies = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  const send = async <Reply>(errand: Errand): Promise<Reply> => {
    child.stdin.write(`${JSON.stringify(errand)}\n`);
    const { value, done } = await replies.next();
    if (done) throw new Error("The generator ended.");
    const reply = JSON.parse(value) as Reply & { error?: string };
    if (reply.error !== undefined) throw new Error(`The generator failed: ${reply.error}`);
    return reply;
  };
  await send({ settings });
  return {
    prepare: (prepare) => send({ prepare }),
    run: () => send<Report>({ run: true }),
    stop: () => child.stdin.end(),
  };
}

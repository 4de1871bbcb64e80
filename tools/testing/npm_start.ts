import { spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import process from "node:process";
import { runtimeArguments } from "./runtime_arguments.ts";
import { sendSignal } from "./send_signal.ts";
import { until } from "./until.ts";

/** The members of run.json that are read here. `npm start` writes this file into its state folder. */
interface RunFile {
  readonly base_url: string;
  readonly database_url: string;
  readonly pids: Readonly<Record<"postgres" | "server", number>>;
  readonly ready: boolean;
}

const READY_MS = 180_000;
const STOP_MS = 30_000;

/** `npm start` of a source tree. After a restart, it continues with the state in `stateDir`. */
export class StartedTree {
  readonly #file: string;
  readonly #child: ReturnType<typeof spawn>;
  #said = "";

  constructor(root: string, stateDir: string, options: readonly string[]) {
    this.#file = join(stateDir, "run.json");
    rmSync(this.#file, { force: true });
    const main = runtimeArguments(join(root, "packages", "dev", "src", "main.ts"), root);
    const args = [...main, "--state", stateDir, "--no-demo", ...options];
    this.#child = spawn(process.execPath, args, { cwd: root, stdio: ["ignore", "pipe", "pipe"] });
    for (const stream of [this.#child.stdout!, this.#child.stderr!]) {
      stream.setEncoding("utf8").on("data", (text) => this.#said += text);
    }
  }

  /** Waits until it is ready. If it ends before, throws an error with its output. */
  async untilReady(): Promise<RunFile> {
    const ready = await until(
      () => this.#hasEnded ? "ended" : this.#readRun(),
      () => this.#said,
      READY_MS,
    );
    if (ready === "ended") throw new Error(`npm start ended: ${this.#said.trim()}`);
    return ready as RunFile;
  }

  async stop(): Promise<void> {
    if (this.#hasEnded) return;
    const exited = once(this.#child, "exit");
    sendSignal(this.#child.pid!, "SIGTERM");
    const timer = setTimeout(() => this.#child.kill("SIGKILL"), STOP_MS);
    await exited;
    clearTimeout(timer);
  }

  get #hasEnded(): boolean {
    return this.#child.exitCode !== null || this.#child.signalCode !== null;
  }

  /** Undefined if the file does not exist yet, or is being written. */
  #readRun(): RunFile | undefined {
    try {
      const run = JSON.parse(readFileSync(this.#file, "utf8")) as RunFile;
      return run.ready ? run : undefined;
    } catch {
      return undefined;
    }
  }
}

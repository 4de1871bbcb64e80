import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync, writeFileSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import process from "node:process";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { sendSignal } from "../../testing/send_signal.ts";
import { applyMutation } from "../mutation_tests/mutation.ts";
import { WorkingCopy } from "../mutation_tests/working_copy.ts";
import type { LoadMutation } from "./table.ts";

interface Program {
  readonly child: ChildProcess;
  readonly ended: Promise<number | null>;
  said(): string;
}

/** The exit code of a run, and its output. */
export interface LoadRun {
  readonly code: number | null;
  readonly said: string;
}

const TREE = fileURLToPath(new URL("../../..", import.meta.url));
const READY_MS = 120_000;
const POLL_MS = 100;

/**
 * Runs `npm start` from a copy of the sources, in which the service may be broken. The load tests themselves
 * run from the original sources.
 */
export class BrokenStack {
  readonly #copy = new WorkingCopy();
  readonly #port: number;
  readonly #children = new Set<ChildProcess>();
  #closed = false;

  constructor(port: number) {
    this.#port = port;
    this.#copy.fill(TREE);
  }

  get #stateDir(): string {
    return join(this.#copy.root, ".gold");
  }

  /** Starts the copy once, with the defect if there is one, and runs the scenarios one after another. */
  async run(scenarios: readonly string[], defect?: LoadMutation): Promise<LoadRun[]> {
    const path = defect && join(this.#copy.root, "packages", "server", defect.file);
    const source = path && readFileSync(path, "utf8");
    if (path && source) writeFileSync(path, applyMutation({ ...defect, tests: [], short: false }, source));
    const stack = this.#spawn(join(this.#copy.root, "packages/dev/src/main.ts"), [
      ...["--no-demo", "--port", `${this.#port}`, "--state", this.#stateDir],
    ]);
    try {
      await this.#ready(stack);
      const runs: LoadRun[] = [];
      for (const scenario of scenarios) runs.push(await this.#load(scenario));
      return runs;
    } finally {
      if (stack.child.exitCode === null) sendSignal(stack.child.pid!, "SIGTERM");
      await stack.ended;
      if (path && source) writeFileSync(path, source);
    }
  }

  async close(): Promise<void> {
    if (this.#closed) return;
    this.#closed = true;
    const ends = [...this.#children].map((child) => {
      child.kill("SIGTERM");
      return once(child, "close");
    });
    await Promise.all(ends);
    this.#copy.remove();
  }

  async #ready({ child, said }: Program): Promise<void> {
    for (let ms = 0; ms < READY_MS && child.exitCode === null; ms += POLL_MS) {
      const text = await readFile(join(this.#stateDir, "run.json"), "utf8").catch(() => "{}");
      const { ready, pids } = JSON.parse(text) as { ready?: boolean; pids?: { start: number } };
      if (ready && pids?.start === child.pid) return;
      await sleep(POLL_MS);
    }
    throw new Error(`npm start did not become ready: ${said()}`);
  }

  async #load(scenario: string): Promise<LoadRun> {
    const { ended, said } = this.#spawn(join(TREE, "tools/loadtest.ts"), [
      scenario,
      "--state",
      this.#stateDir,
    ]);
    return { code: await ended, said: said() };
  }

  #spawn(file: string, args: readonly string[]): Program {
    const runtimeArguments = "Deno" in globalThis ? ["run", "--no-check", "-A"] : ["--import", "tsx"];
    const child = spawn(process.execPath, [...runtimeArguments, file, ...args], {
      cwd: file.startsWith(this.#copy.root) ? this.#copy.root : TREE,
      stdio: ["ignore", "pipe", "pipe"],
    });
    this.#children.add(child);
    let text = "";
    for (const stream of [child.stdout, child.stderr]) {
      stream.setEncoding("utf8").on("data", (part) => text += part);
    }
    const ended = once(child, "close").then(([code]) => {
      this.#children.delete(child);
      return code as number | null;
    });
    return { child, ended, said: () => text };
  }
}

import { spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import process from "node:process";
import { fileURLToPath } from "node:url";
import { StartedTree } from "../../testing/npm_start.ts";
import { toolArguments } from "../../testing/runtime_arguments.ts";
import { applyMutation } from "../mutation_tests/mutation.ts";
import { WorkingCopy } from "../mutation_tests/working_copy.ts";
import type { LoadMutation } from "./table.ts";

/** The exit code of a run, and its output. */
export interface LoadRun {
  readonly code: number | null;
  readonly said: string;
}

const TREE = fileURLToPath(new URL("../../..", import.meta.url));

/**
 * Runs `npm start` from a copy of the sources, in which the service may be broken. The load tests themselves
 * run from the original sources.
 */
export class BrokenStack {
  readonly #copy = new WorkingCopy();
  readonly #port: number;
  /** Stop what runs at this moment. */
  readonly #stops = new Set<() => Promise<unknown>>();
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
    const stack = new StartedTree(this.#copy.root, this.#stateDir, ["--port", `${this.#port}`]);
    const stop = () => stack.stop();
    this.#stops.add(stop);
    try {
      await stack.untilReady();
      const runs: LoadRun[] = [];
      for (const scenario of scenarios) runs.push(await this.#load(scenario));
      return runs;
    } finally {
      await stop();
      this.#stops.delete(stop);
      if (path && source) writeFileSync(path, source);
    }
  }

  async close(): Promise<void> {
    if (this.#closed) return;
    this.#closed = true;
    await Promise.all([...this.#stops].map((stop) => stop()));
    this.#copy.remove();
  }

  async #load(scenario: string): Promise<LoadRun> {
    const args = [...toolArguments(join(TREE, "tools/loadtest.ts")), scenario, "--state", this.#stateDir];
    const child = spawn(process.execPath, args, { cwd: TREE, stdio: ["ignore", "pipe", "pipe"] });
    let said = "";
    for (const stream of [child.stdout, child.stderr]) {
      stream.setEncoding("utf8").on("data", (part) => said += part);
    }
    const ended = once(child, "close");
    const stop = () => {
      child.kill("SIGTERM");
      return ended;
    };
    this.#stops.add(stop);
    const [code] = await ended;
    this.#stops.delete(stop);
    return { code, said };
  }
}

import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { closeSync, mkdirSync, openSync, readFileSync } from "node:fs";
import { join } from "node:path";
import process from "node:process";
import { setTimeout as sleep } from "node:timers/promises";
import { findFreePort } from "@gold-partner/dev/postgres";

/** The properties of a container that the test engine needs. */
export interface Container {
  readonly name: string;
  /** The command and its arguments. */
  readonly words: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  /** Maps each path inside the container to its file or folder on this machine. */
  readonly mounts: ReadonlyMap<string, string>;
}

export interface Ended {
  readonly code: number;
  readonly output: string;
}

export interface Started {
  readonly exited: Promise<number>;
  output(): string;
  /** Stops the container as an engine does: sends the signal, and returns the exit code. */
  stop(signal?: NodeJS.Signals): Promise<number>;
}

interface EngineOptions {
  /** The image's folder. Every command starts in it. */
  readonly image: string;
  readonly path: string;
  /** The folder for the logs. */
  readonly folder: string;
  /** Maps addresses in the containers' network, such as `database:5432`, to real addresses. */
  readonly hosts: Readonly<Record<string, string>>;
}

const RUN_MS = 180_000;
const POLL_MS = 100;
const ADDRESS = /((?:127\.0\.0\.1|0\.0\.0\.0):|\/dev\/tcp\/127\.0\.0\.1\/)(\d+)\b/g;

/**
 * Runs the commands of containers as processes of this machine, without a container engine. Rewrites each
 * command, because the processes have no namespaces: a mount's path becomes a folder of this machine, and a
 * port of the containers' network becomes a free port.
 */
export class TestEngine {
  readonly #options: EngineOptions;
  readonly #ports = new Map<string, string>();
  readonly #running: ChildProcess[] = [];
  /** Every command that was run, with its original paths and ports. */
  readonly ran = new Set<string>();

  private constructor(options: EngineOptions) {
    this.#options = options;
  }

  /** `ports` are the ports that the containers listen on. */
  static async open(options: EngineOptions, ports: readonly number[]): Promise<TestEngine> {
    const engine = new TestEngine(options);
    for (const port of ports) engine.#ports.set(`${port}`, `${await findFreePort()}`);
    return engine;
  }

  port(port: number): number {
    return Number(this.#ports.get(`${port}`));
  }

  /**
   * Runs a command and waits for its end. By default this is the container's own command. Pass `words` for a
   * probe or a hook, which runs inside the container.
   */
  async run(container: Container, words = container.words, more: readonly string[] = []): Promise<Ended> {
    const log = join(this.#options.folder, `${container.name}_run.log`);
    const child = this.#spawn(container, words, more, log, "w");
    const timer = setTimeout(() => child.kill("SIGKILL"), RUN_MS);
    const [code] = await once(child, "exit") as [number | null];
    clearTimeout(timer);
    return { code: code ?? -1, output: readFileSync(log, "utf8") };
  }

  start(container: Container): Started {
    const log = join(this.#options.folder, `${container.name}.log`);
    const child = this.#spawn(container, container.words, [], log, "a");
    this.#running.push(child);
    const exited = once(child, "exit").then(([code]) => (code as number | null) ?? -1);
    return {
      exited,
      output: () => readFileSync(log, "utf8"),
      async stop(signal = "SIGTERM") {
        // Use the process id, because after child.kill() Deno reports the signal even if the child exited
        // with a code.
        process.kill(child.pid!, signal);
        return await exited;
      },
    };
  }

  /** Runs the probe again and again until it succeeds, as a container engine does. */
  async until(container: Container, probe: readonly string[], seconds = 90): Promise<void> {
    for (const end = Date.now() + seconds * 1000; Date.now() < end; await sleep(POLL_MS)) {
      if ((await this.run(container, probe)).code === 0) return;
    }
    const log = readFileSync(join(this.#options.folder, `${container.name}.log`), "utf8").slice(-2000);
    throw new Error(
      `${container.name} did not become ready (${probe.join(" ")}). The end of its log:\n${log}`,
    );
  }

  /** Kills every process that a failed test left running. */
  async close(): Promise<void> {
    for (const child of this.#running) {
      if (child.exitCode !== null || child.signalCode !== null) continue;
      child.kill("SIGKILL");
      await once(child, "exit");
    }
  }

  #spawn(
    container: Container,
    words: readonly string[],
    more: readonly string[],
    logFile: string,
    flag: "a" | "w",
  ): ChildProcess {
    this.ran.add(commandText(words));
    const place = (text: string) => this.#place(text, container.mounts);
    const [program = "", ...args] = [...words, ...more].map(place);
    const env = Object.fromEntries(
      Object.entries(container.env).map(([name, value]) => [name, place(value)]),
    );
    // Write to a log file and not to a pipe. Envoy reopens its standard output by file name, and a pipe has
    // no file name.
    const log = openSync(logFile, flag, 0o600);
    try {
      return spawn(program, args, {
        cwd: this.#options.image,
        env: { HOME: process.env.HOME, PATH: this.#options.path, NODE_ENV: "production", ...env },
        stdio: ["ignore", log, log],
      });
    } finally {
      closeSync(log);
    }
  }

  #place(text: string, mounts: ReadonlyMap<string, string>): string {
    const deepestFirst = [...mounts.keys()].sort((a, b) => b.length - a.length);
    // Replace only whole parts of a path. Replace all mounts in one pass, so no result is replaced again.
    const targets = new RegExp(`(?<![\\w.-])(?:${deepestFirst.join("|")})(?![\\w.-])`, "g");
    let placed = text.replace(
      ADDRESS,
      (_, address: string, port: string) => address.replace("0.0.0.0", "127.0.0.1") + this.#portOf(port),
    );
    for (const [host, real] of Object.entries(this.#options.hosts)) placed = placed.replaceAll(host, real);
    return mounts.size === 0 ? placed : placed.replace(targets, (target) => mounts.get(target)!);
  }

  #portOf(port: string): string {
    const real = this.#ports.get(port);
    if (!real) {
      throw new Error(`No container is registered to listen on port ${port}. Add the port to openSite().`);
    }
    return real;
  }
}

/** Joins a command's words into one text, so that commands from different files can be compared. */
export const commandText = (words: readonly string[]): string => words.join(" ");

/** Creates the folder on this machine for a volume, and returns its path. */
export function volumeFolder(folder: string, name: string): string {
  const path = join(folder, "volumes", name);
  mkdirSync(path, { recursive: true });
  return path;
}

import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import process from "node:process";
import { after, before, describe, it } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { assert, assertEquals } from "@std/assert";
import { findFreePort, findPostmaster } from "./postgres/mod.ts";
import { isAlive } from "../../../tools/testing/is_alive.ts";
import { sendSignal } from "../../../tools/testing/send_signal.ts";
import {
  awaitEndWithin,
  endAll,
  familyOf,
  launch,
  readRun,
  type RunFile,
  startUntilReady,
} from "../testing/start.ts";
import { launchPostgres } from "./database.ts";
import { openState } from "./state.ts";
import { type Guarded, SIGNAL_MS, startWatchdog, STOP_MS } from "./watchdog.ts";

const ROOT = fileURLToPath(new URL("../../..", import.meta.url));
const READY_MS = 600_000;
/** npm start guarantees that all its processes end within this time. */
const PROMISED_MS = 10_000;
/** How long the tests wait for that end, because a slow machine needs longer. */
const END_MS = 60_000;
/** In the worst case, one to Envoy, one to the service and two to Postgres. SIGKILL needs no wait. */
const UNANSWERED_SIGNALS = 4;

/** `npm start` or `deno task start`, the leader of its own process group as in a terminal. */
interface Task {
  readonly runner: ChildProcess;
  readonly run: RunFile;
  /** Every process, from the task runner to the backends of Postgres. */
  readonly pids: readonly number[];
}

describe("npm start leaves no process behind", () => {
  let folder: string;
  let state: string;
  let options: string[];
  before(async () => {
    folder = await mkdtemp(join(tmpdir(), "gold-watchdog-"));
    state = join(folder, "state");
    options = ["--state", state, "--port", `${await findFreePort()}`, "--no-demo"];
  });
  after(async () => {
    await endAll();
    await rm(folder, { recursive: true, force: true });
  });

  async function startTask(): Promise<Task> {
    const [command, args] = "Deno" in globalThis
      ? [process.execPath, ["task", "start", ...options, "--no-site"]]
      : ["npm", ["start", "--", ...options, "--no-site"]];
    await rm(join(state, "run.json"), { force: true });
    const runner = spawn(command, args, { cwd: ROOT, detached: true, stdio: ["ignore", "ignore", "pipe"] });
    let said = "";
    runner.stderr!.setEncoding("utf8").on("data", (part) => said += part);
    for (const until = performance.now() + READY_MS; performance.now() < until; await sleep(50)) {
      const run = await readRun(state);
      // Includes the watchdog: it has its own session, but it is a child of the start program like the other
      // processes.
      if (run?.ready) return { runner, run, pids: familyOf(runner.pid!) };
      if (runner.exitCode !== null) break;
    }
    sendSignal(-runner.pid!, "SIGTERM");
    throw new Error(`npm start did not become ready: ${said}`);
  }

  const targets = {
    "the task runner": ({ runner }: Task) => runner.pid!,
    "run.mjs": ({ pids }: Task) => pids[1]!,
    "the start program": ({ run }: Task) => run.pids.start,
    // Signalled when a terminal is closed, or when a container or CI job is cancelled.
    "the process group": ({ runner }: Task) => -runner.pid!,
  };
  const cases: [keyof typeof targets, NodeJS.Signals][] = [
    ["the task runner", "SIGTERM"],
    ["the task runner", "SIGINT"],
    ["the task runner", "SIGHUP"],
    ["the task runner", "SIGKILL"],
    ["run.mjs", "SIGTERM"],
    ["run.mjs", "SIGKILL"],
    ["the start program", "SIGKILL"],
    ["the process group", "SIGHUP"],
    ["the process group", "SIGKILL"],
  ];
  for (const [target, signal] of cases) {
    it(`when ${target} gets ${signal}, and starts again afterwards`, async () => {
      const task = await startTask();
      for (const pid of Object.values(task.run.pids)) assert(task.pids.includes(pid), `${pid}`);
      const ended = once(task.runner, "close");
      process.kill(targets[target](task), signal);
      await awaitEndWithin(END_MS, task.pids);
      await ended;
      assertEquals(findPostmaster(join(state, "postgres", "cluster")), undefined);
    });
  }

  it("when it and its watchdog get SIGKILL together", async () => {
    const { runner, run, pids } = await startTask();
    const ended = once(runner, "close");
    for (const pid of [run.pids.watchdog, run.pids.start]) process.kill(pid, "SIGKILL");
    await awaitEndWithin(END_MS, pids);
    await ended;
    assertEquals(findPostmaster(join(state, "postgres", "cluster")), undefined);
  });

  it("when it and its watchdog get SIGKILL together right after the start of Postgres", async () => {
    const { child, ended } = launch(options);
    const cluster = join(state, "postgres", "cluster");
    while (!findPostmaster(cluster) && child.exitCode === null) await sleep(5);
    const { pid } = findPostmaster(cluster)!;
    const watchdog = Number(await readFile(join(state, "run", "watchdog.pid"), "utf8"));
    for (const one of [watchdog, child.pid!]) process.kill(one, "SIGKILL");
    await ended;
    await awaitEndWithin(END_MS, [watchdog, pid]);
  });

  it("when the task runner is killed before run.mjs looks for it", async () => {
    // A shell starts run.mjs as npm does, and ends before run.mjs reads its parent.
    const script = `npm_config_user_agent=npm node tools/run.mjs start ${
      options.join(" ")
    } --no-site >/dev/null 2>&1 & echo $!`;
    const shell = spawn("sh", ["-c", script], {
      cwd: ROOT,
      stdio: ["ignore", "pipe", "inherit"],
      detached: true,
    });
    const [pid] = await once(shell.stdout!, "data");
    await awaitEndWithin(END_MS, [Number(`${pid}`)]).finally(() => sendSignal(Number(`${pid}`), "SIGTERM"));
    assertEquals(findPostmaster(join(state, "postgres", "cluster")), undefined);
  });

  it("when it is killed before it is ready", async () => {
    const { child, ended } = launch(options);
    const server = () => findPostmaster(join(state, "postgres", "cluster"));
    const watchdogFile = join(state, "run", "watchdog.pid");
    while (!server() && child.exitCode === null) await sleep(5);
    const { pid } = server()!;
    process.kill(child.pid!, "SIGKILL");
    await ended;
    await awaitEndWithin(END_MS, [pid]);
    assert(existsSync(watchdogFile));
    // Checks that the new start does not use a server that the watchdog of the killed start is about to stop.
    const again = await startUntilReady(state, ...options.slice(2));
    assertEquals(await again.stop(), 0);
    assert(!existsSync(watchdogFile));
  });

  it("when it is killed between the start of Postgres and the message with its pid", async () => {
    const opened = await openState(state, false);
    const watchdog = await startWatchdog(state);
    const unheard = { ...watchdog, guard: (one: Guarded) => one.pid === undefined && watchdog.guard(one) };
    const { pid } = await launchPostgres(opened, unheard);
    await watchdog.stop();
    await opened.release();
    assert(!isAlive(pid));
  });

  it("when the service and Postgres react to no signal except SIGKILL", async () => {
    const { runner, run, pids } = await startTask();
    for (const pid of [run.pids.server, run.pids.postgres]) process.kill(pid, "SIGSTOP");
    const ended = once(runner, "close");
    process.kill(run.pids.start, "SIGTERM");
    await awaitEndWithin(END_MS, pids);
    assertEquals((await ended)[0], 1);
    assert(STOP_MS + UNANSWERED_SIGNALS * SIGNAL_MS < PROMISED_MS);
  });
});

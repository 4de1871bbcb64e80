// node tools/run.mjs TASK [arguments]: the entry point of every task. It installs the dependencies if they
// are missing or older than the lockfile, then runs the task's file under the runtime that runs this script.
// It is plain JavaScript and imports only node: modules, because it must run before anything is installed.
import { spawn } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import process from "node:process";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";

const ROOT = dirname(dirname(fileURLToPath(import.meta.url)));
const { tasks: TASKS } = JSON.parse(readFileSync(join(ROOT, "tools", "tasks.json"), "utf8"));
const LOCKFILE = join(ROOT, "package-lock.json");
/** npm writes this file last, so a half-finished install does not have it. */
const INSTALLED = join(ROOT, "node_modules", ".package-lock.json");
const PROGRAM = join(ROOT, "tools", "program.mjs");
/** The option of V8 that tools/testing/runtime_arguments.ts describes. */
const YOUNG_GENERATION = "--max-semi-space-size=64";
const TURN = join(ROOT, ".tools", "npm_ci.turn");
const TURN_POLL_MS = 250;
const EMPTY_TURN_MS = 5_000;
const PARENT_POLL_MS = 250;
/**
 * Part of the path of the script in npm's deno package. If that package is installed, deno task calls this
 * script as `deno`, and the script runs Deno as its child.
 */
const DENO_SCRIPT = join("deno", "bin.cjs");
/**
 * Exit codes. 2: wrong usage or configuration. 3: the dependencies are missing and could not be installed.
 */
const [USAGE, MISSING] = [2, 3];
/** The exit code of a shell for a command that it cannot find. */
const NOT_FOUND = 127;

const underDeno = process.versions.deno !== undefined;
const [name = "", ...args] = process.argv.slice(2);

/** Prints one sentence to stderr, because stdout belongs to the task. Then ends this process. */
function stop(sentence, code) {
  process.stderr.write(`${sentence}\n`);
  process.exit(code);
}

/**
 * Calls `onEnd` once if npm or deno task started this process and has ended without signalling it, for
 * example by SIGKILL. Both set npm_config_user_agent, which a script that they start passes on. Without it,
 * the parent is another shell or script, which may end while its background programs keep running.
 */
function watchTaskRunner(onEnd) {
  if (process.env.npm_config_user_agent === undefined) return undefined;
  const starters = listStarters();
  if (isOrphan()) setImmediate(onEnd);
  const timer = setInterval(() => {
    if (listStarters() === starters) return;
    clearInterval(timer);
    onEnd();
  }, PARENT_POLL_MS);
  timer.unref();
  return timer;
}

/**
 * Whether the task runner ended before this process looked for it. The parent is then a process of another
 * session, which adopted this one.
 */
function isOrphan() {
  // Line 1 of proc(5)'s stat after the name in brackets: state, ppid, pgrp, session.
  const sessionOf = (pid) => readFileSync(`/proc/${pid}/stat`, "utf8").replace(/^.*\) /s, "").split(" ")[3];
  try {
    const session = sessionOf("self");
    return session !== `${process.pid}` && session !== sessionOf(process.ppid);
  } catch {
    return false; // The system is not Linux, or the parent is outside this container.
  }
}

/**
 * Returns the pids of this process's parent and, if that is Deno's script, of the script's parent. They
 * change when one of them ends.
 */
function listStarters() {
  try {
    const script = readFileSync(`/proc/${process.ppid}/cmdline`, "utf8").includes(DENO_SCRIPT);
    if (script) {
      return `${process.ppid} ${
        /^PPid:\s*(\d+)/m.exec(readFileSync(`/proc/${process.ppid}/status`, "utf8"))?.[1]
      }`;
    }
  } catch {
    // Return only the parent's pid: the system is not Linux, or the parent has just ended.
  }
  return `${process.ppid}`;
}

/**
 * Runs a child until it ends and passes signals on to it. Resolves to its exit code, or to the signal that
 * ended it.
 */
function runChild(command, commandArgs, options, hear) {
  return new Promise((resolve, reject) => {
    const child = spawn(command, commandArgs, { cwd: ROOT, ...options });
    child.stderr?.setEncoding("utf8").on("data", hear);
    const passOn = (signal) => {
      // Do not send SIGINT at a terminal: a terminal sends Ctrl-C to the whole process group, and a second
      // SIGINT would cut the child's shutdown short. Send other signals with process.kill(). After
      // child.kill(), Deno would report the signal even if the child exited with a code.
      if (!child.pid || (signal === "SIGINT" && process.stdin.isTTY)) return;
      try {
        process.kill(child.pid, signal);
      } catch {
        // The child has just ended, so the signal ends only this process.
        finish({ code: null, signal });
      }
    };
    const signals = ["SIGINT", "SIGTERM", "SIGHUP"];
    for (const signal of signals) process.on(signal, passOn);
    const watch = watchTaskRunner(() => passOn("SIGTERM"));
    const finish = (ended) => {
      clearInterval(watch);
      for (const each of signals) process.off(each, passOn);
      resolve(ended);
    };
    child.once("error", reject);
    child.once("close", (code, signal) => finish({ code, signal }));
  });
}

/** Ends this process the way the child ended. */
async function endLike({ code, signal }) {
  if (!signal) process.exit(code ?? 1);
  process.kill(process.pid, signal);
  await sleep(1_000); // The signal arrives a moment later, and nothing else may start before it.
  process.exit(1);
}

function isInstalled() {
  return existsSync(INSTALLED) && statSync(INSTALLED).mtimeMs >= statSync(LOCKFILE).mtimeMs;
}

function isAlive(pid) {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return error.code === "EPERM";
  }
}

/**
 * Tries to take the lock file for npm ci. Returns true if this process now holds it. Removes a lock that a
 * killed run left, but takes it only at the next poll, so that two waiting runs cannot remove each other's
 * lock. An empty lock file counts as left behind only after EMPTY_TURN_MS, because another run may be writing
 * it.
 */
function takeTurn() {
  mkdirSync(dirname(TURN), { recursive: true });
  try {
    writeFileSync(TURN, String(process.pid), { flag: "wx" });
    return true;
  } catch (error) {
    if (error.code !== "EEXIST") throw error;
  }
  try {
    const holder = Number(readFileSync(TURN, "utf8"));
    const left = holder > 0 ? !isAlive(holder) : Date.now() - statSync(TURN).mtimeMs > EMPTY_TURN_MS;
    if (left) rmSync(TURN, { force: true });
  } catch (error) {
    if (error.code !== "ENOENT") throw error; // The other run has just removed its lock.
  }
  return false;
}

/**
 * Shows that the install is still running: on a terminal once a second in one line that is rewritten,
 * otherwise every ten seconds in a new line. Returns a function that stops it.
 */
function showProgress(startMs) {
  const rewrites = process.stderr.isTTY && process.env.TERM !== "dumb";
  const timer = setInterval(() => {
    const seconds = Math.round((Date.now() - startMs) / 1000);
    if (rewrites) process.stderr.write(`\r… still installing, ${seconds} s`);
    else if (seconds % 10 === 0) process.stderr.write(`… still installing, ${seconds} s\n`);
  }, 1000);
  return () => {
    clearInterval(timer);
    if (rewrites) process.stderr.write("\r\x1b[2K");
  };
}

async function npmCi() {
  process.stderr.write("Installing the packages of package-lock.json into node_modules (npm ci) …\n");
  const start = Date.now();
  const hideProgress = showProgress(start);
  try {
    // Ignore npm's stdout, because stdout belongs to the task. --include=dev installs the development tools
    // even with NODE_ENV=production.
    let report = "";
    const ended = await runChild("npm", ["ci", "--include=dev", "--loglevel=error"], {
      stdio: ["ignore", "ignore", "pipe"],
    }, (text) => report += text);
    hideProgress();
    if (ended.code === 0) {
      process.stderr.write(
        `Installed in ${((Date.now() - start) / 1000).toFixed(1)} s. No network is needed from now on.\n`,
      );
    }
    return { ...ended, report };
  } catch (error) {
    hideProgress();
    if (error.code !== "ENOENT") throw error;
    return { code: NOT_FOUND };
  }
}

async function install() {
  for (let polls = 0; !takeTurn(); polls++) {
    if (polls === 4) process.stderr.write("Another run is installing the dependencies; waiting for it.\n");
    await sleep(TURN_POLL_MS);
  }
  const ended = isInstalled() ? { code: 0 } : await npmCi();
  rmSync(TURN, { force: true });
  if (ended.signal) await endLike(ended);
  if (ended.code === NOT_FOUND) {
    stop(
      "npm was not found on PATH. It comes with Node. Install Node 20.19 or newer, then run the same command again.",
      MISSING,
    );
  }
  if (ended.code !== 0) stop(explainInstall(ended), MISSING);
}

function explainInstall({ code, report }) {
  const [unreachable] =
    /\b(ENOTFOUND|EAI_AGAIN|ECONNREFUSED|ECONNRESET|ETIMEDOUT|ENETUNREACH|EHOSTUNREACH)\b/.exec(report) ?? [];
  if (unreachable) {
    return (
      `npm's registry cannot be reached (${unreachable}), and the packages are not installed yet. Connect to the network, ` +
      "or set a mirror (npm config set registry URL), then run the same command again."
    );
  }
  if (/\bENOSPC\b/.test(report)) {
    return `The disk of ${ROOT} is full. Free a gigabyte, then run the same command again.`;
  }
  return `${report}npm ci failed (exit ${code}), so nothing was started. See the reason above, then run the same command again.`;
}

function listTasks() {
  const lines = Object.entries(TASKS).map(([task, { options = "", says }]) =>
    `  ${task.padEnd(8)} ${says}${options && ` (${options})`}`
  );
  return `Tasks (npm run TASK -- …, or deno task TASK …):\n${lines.join("\n")}`;
}

function requireRuntime() {
  if (underDeno) return;
  const [major, minor] = process.versions.node.split(".").map(Number);
  if (major < 20 || (major === 20 && minor < 19)) {
    stop(
      `Node ${process.versions.node} is too old. This project needs Node 20.19 or newer, or Deno 2.`,
      USAGE,
    );
  }
}

const task = Object.hasOwn(TASKS, name) ? TASKS[name] : undefined;
if (!task) stop(`${name ? `There is no task "${name}".` : "TASK is missing."} ${listTasks()}`, USAGE);
requireRuntime();
if (!isInstalled()) {
  await install().catch(({ message }) => stop(`The packages cannot be installed: ${message}.`, MISSING));
}
const runtimeArgs = underDeno
  ? ["run", `--v8-flags=${YOUNG_GENERATION}`, "-A", task.file]
  : task.file.startsWith("packages/")
  ? [YOUNG_GENERATION, PROGRAM, task.file]
  : ["--import", "tsx", task.file];
await endLike(
  await runChild(process.execPath, [...runtimeArgs, ...args], {
    stdio: "inherit",
    env: { ...process.env, RUN_PID: `${process.pid}` },
  }),
);

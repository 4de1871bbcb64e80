import { spawn } from "node:child_process";
import { once } from "node:events";
import {
  chmodSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import process from "node:process";
import { describe, it } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { sendSignal } from "./testing/send_signal.ts";
import { ROOT } from "./test/tier.ts";

/**
 * Stands in for npm. It links tsx into node_modules, and writes the file that npm writes last. If the file
 * npm_fails exists, it fails without writing that last file. If the file npm_lingers exists, it leaves a
 * process behind that keeps its output open.
 */
const NPM = `#!/bin/sh
echo "$@" >> installs.log
mkdir -p node_modules && ln -sfn "${join(ROOT, "node_modules/tsx")}" node_modules/tsx
sleep 0.5
[ -e npm_fails ] && exit 7
[ -e npm_lingers ] && { sleep 60 & echo "$$ $!" > lingering; }
touch node_modules/.package-lock.json`;

/**
 * The task under test. It prints its arguments and its runtime, then waits or exits with the code in its
 * first argument.
 */
const TASK = `import process from "node:process";
const [how = ""] = process.argv.slice(2);
process.on("SIGTERM", () => { console.log("SIGTERM"); process.exit(9); });
console.log(JSON.stringify({ args: process.argv.slice(2), deno: process.versions.deno !== undefined }));
if (how === "wait") setTimeout(() => {}, 60_000);
else process.exit(Number(how));`;

interface Ended {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

class Project {
  readonly root: string = realpathSync(mkdtempSync(join(tmpdir(), "run-test-")));
  readonly npmFolder: string = join(this.root, "bin");

  constructor() {
    for (const folder of ["tools", "bin"]) mkdirSync(join(this.root, folder));
    for (const file of ["tools/run.mjs", "tools/tasks.json", "tools/program.mjs"]) {
      copyFileSync(join(ROOT, file), join(this.root, file));
    }
    writeFileSync(join(this.root, "tools/test.ts"), TASK);
    writeFileSync(join(this.root, "package.json"), `{"type":"module"}`);
    writeFileSync(join(this.root, "package-lock.json"), "{}");
    writeFileSync(join(this.npmFolder, "npm"), NPM);
    chmodSync(join(this.npmFolder, "npm"), 0o755);
  }

  /** Uses this machine's real npm, with a registry address at which nothing listens. */
  useRealNpm(): void {
    rmSync(join(this.npmFolder, "npm"));
    this.write(".npmrc", "registry=http://127.0.0.1:9/\nfetch-retries=0\ncache=.npm\n");
    this.write("package.json", `{"type":"module","dependencies":{"zod":"4.6.7"}}`);
    const zod = {
      version: "4.6.7",
      resolved: "http://127.0.0.1:9/zod.tgz",
      integrity: `sha512-${"A".repeat(86)}==`,
    };
    const packages = { "": { dependencies: { zod: "4.6.7" } }, "node_modules/zod": zod };
    this.write("package-lock.json", JSON.stringify({ lockfileVersion: 3, requires: true, packages }));
  }

  start(args: readonly string[], path = `${this.npmFolder}${delimiter}${process.env["PATH"]}`) {
    const entry = join(this.root, "tools/run.mjs");
    const command = process.versions["deno"] === undefined ? [entry] : ["run", "-A", entry];
    const child = spawn(process.execPath, [...command, ...args], {
      cwd: tmpdir(),
      env: { ...process.env, PATH: path },
      stdio: ["ignore", "pipe", "pipe"],
    });
    const output = { stdout: "", stderr: "" };
    child.stdout.on("data", (text) => output.stdout += text);
    child.stderr.on("data", (text) => output.stderr += text);
    const ended = new Promise<Ended>((resolve) =>
      child.once("close", (code) => resolve({ code, ...output }))
    );
    return { child, ended, output };
  }

  run(...args: readonly string[]): Promise<Ended> {
    return this.start(args).ended;
  }

  installs(): number {
    const log = join(this.root, "installs.log");
    return existsSync(log) ? readFileSync(log, "utf8").trim().split("\n").length : 0;
  }

  write(path: string, text: string): void {
    writeFileSync(join(this.root, path), text);
  }
}

async function withProject(use: (project: Project) => Promise<void>): Promise<void> {
  const project = new Project();
  try {
    await use(project);
  } finally {
    rmSync(project.root, { recursive: true, force: true });
  }
}

describe("run.mjs", () => {
  it("installs once, runs the task with its arguments on this runtime, and returns its code", async () => {
    await withProject(async (project) => {
      const first = await project.run("test", "5", "--json", "a b");
      assertEquals(first.code, 5);
      const deno = process.versions["deno"] !== undefined;
      assertEquals<unknown>(JSON.parse(first.stdout), { args: ["5", "--json", "a b"], deno });
      assertStringIncludes(first.stderr, "npm ci");
      const second = await project.run("test", "0");
      assertEquals([second.code, second.stderr, project.installs()], [0, "", 1]);
      assertStringIncludes(readFileSync(join(project.root, "installs.log"), "utf8"), "ci --include=dev");
    });
  });

  it("installs again if the lockfile is newer, and after an interrupted install", async () => {
    await withProject(async (project) => {
      await project.run("test", "0");
      const later = new Date(Date.now() + 5_000);
      utimesSync(join(project.root, "package-lock.json"), later, later);
      await project.run("test", "0");
      assertEquals(project.installs(), 2);
      const earlier = new Date(Date.now() - 5_000);
      utimesSync(join(project.root, "package-lock.json"), earlier, earlier);
      rmSync(join(project.root, "node_modules/.package-lock.json"));
      assertEquals((await project.run("test", "0")).code, 0);
      assertEquals(project.installs(), 3);
    });
  });

  it("installs once for two concurrent runs", async () => {
    await withProject(async (project) => {
      const both = await Promise.all([project.run("test", "0"), project.run("test", "0")]);
      assertEquals([...both.map(({ code }) => code), project.installs()], [0, 0, 1]);
    });
  });

  it("takes over the lock of a killed run, and removes its own lock", async () => {
    await withProject(async (project) => {
      mkdirSync(join(project.root, ".tools"));
      project.write(".tools/npm_ci.turn", "2147483646");
      assertEquals((await project.run("test", "0")).code, 0);
      assertEquals([project.installs(), existsSync(join(project.root, ".tools/npm_ci.turn"))], [1, false]);
    });
  });

  it("starts nothing if npm ci fails or npm is missing, and prints the reason", async () => {
    await withProject(async (project) => {
      project.write("npm_fails", "");
      const failed = await project.run("test", "0");
      assertEquals([failed.code, failed.stdout], [3, ""]);
      assertStringIncludes(failed.stderr, "npm ci failed (exit 7), so nothing was started");
      assert(!existsSync(join(project.root, ".tools/npm_ci.turn")));
      const missing = await project.start(["test", "0"], join(project.root, "tools")).ended;
      assertEquals([missing.code, missing.stdout], [3, ""]);
      assertStringIncludes(missing.stderr, "npm was not found on PATH");
      rmSync(join(project.root, "npm_fails"));
      rmSync(join(project.root, ".tools"), { recursive: true });
      project.write(".tools", "no folder");
      const unwritable = await project.run("test", "0");
      assertEquals([unwritable.code, unwritable.stdout], [3, ""]);
      assertStringIncludes(unwritable.stderr, "The packages cannot be installed: EEXIST");
      assert(!unwritable.stderr.includes("    at "), unwritable.stderr);
      rmSync(join(project.root, ".tools"));
      assertEquals((await project.run("test", "0")).code, 0);
    });
  });

  it("reports an unreachable registry in one sentence", async () => {
    await withProject(async (project) => {
      project.useRealNpm();
      const { code, stdout, stderr } = await project.run("test", "0");
      assertEquals([code, stdout], [3, ""]);
      // A slow npm also prints a line of progress every ten seconds.
      const [doing, ...said] = stderr.trim().split("\n").filter((line) => !line.startsWith("…"));
      assertStringIncludes(doing!, "Installing the packages of package-lock.json");
      assertEquals(said.length, 1, stderr);
      assertStringIncludes(said[0]!, "npm's registry cannot be reached (ECONNREFUSED)");
    });
  });

  it("passes SIGTERM on, and exits with the task's exit code", async () => {
    await withProject(async (project) => {
      const { child, ended, output } = project.start(["test", "wait"]);
      for (let polls = 0; output.stdout === "" && polls < 1200; polls++) await sleep(50);
      process.kill(child.pid ?? 0, "SIGTERM"); // After child.kill(), Deno would hide the exit code.
      const { code, stdout } = await ended;
      assertEquals(code, 9);
      assertStringIncludes(stdout, "SIGTERM");
    });
  });

  it("ends by a signal that arrives when its child has just ended", async () => {
    await withProject(async (project) => {
      writeFileSync(join(project.root, "npm_lingers"), "");
      const { child, ended } = project.start(["test", "0"]);
      const installed = join(project.root, "node_modules/.package-lock.json");
      for (let polls = 0; !existsSync(installed) && polls < 1200; polls++) await sleep(50);
      const [npm, lingering] = readFileSync(join(project.root, "lingering"), "utf8").split(" ").map(Number);
      for (let polls = 0; sendSignal(npm!, 0) && polls < 1200; polls++) await sleep(50);
      process.kill(child.pid ?? 0, "SIGTERM");
      const { code, stdout, stderr } = await ended;
      // Only now, because the end of npm's output would let run.mjs continue before it got the signal.
      sendSignal(lingering!, "SIGKILL");
      assertEquals([code, stdout], [null, ""], stderr);
    });
  });

  it("lets a background program run on when the script that started it has ended", async () => {
    await withProject(async (project) => {
      assertEquals((await project.run("test", "0")).code, 0);
      const entry = join(project.root, "tools/run.mjs");
      // As the wrapper of docs/partner_cli.md starts it.
      const script = `INIT_CWD=/ "${process.execPath}" ${
        process.versions["deno"] === undefined ? "" : "run -A"
      } "${entry}" test wait & echo $!`;
      const env = { ...process.env };
      delete env["npm_config_user_agent"];
      const shell = spawn("sh", ["-c", script], {
        detached: true,
        env,
        stdio: ["ignore", "pipe", "inherit"],
      });
      let output = "";
      shell.stdout.on("data", (text) => output += text);
      const ended = once(shell, "close");
      for (let polls = 0; !output.includes("args") && polls < 1200; polls++) await sleep(50);
      await sleep(500); // Two polls of run.mjs.
      assert(sendSignal(Number(output.split("\n")[0]), "SIGTERM"), output);
      await ended;
      assertStringIncludes(output, "SIGTERM");
    });
  });

  it("lists the tasks and exits with 2 for an unknown task", async () => {
    await withProject(async (project) => {
      for (const name of ["deploy", "toString"]) {
        const { code, stderr } = await project.run(name);
        assertEquals(code, 2);
        assertStringIncludes(stderr, `There is no task "${name}"`);
        assertStringIncludes(stderr, "  test ");
      }
      assertEquals(project.installs(), 0);
    });
  });
});

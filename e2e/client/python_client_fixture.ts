import { execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import process from "node:process";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";

const ROOT = fileURLToPath(new URL("../..", import.meta.url));
const FIXTURE = fileURLToPath(new URL("./python_client_fixture.py", import.meta.url));
const WHEELS = join(ROOT, ".tools/python_client/wheels");
const RUN_MS = 180_000;

export const PYTHON_PACKAGE: string = join(ROOT, "packages/client/python");
/** With these variables, pip installs from the pinned wheels and never from the network. */
export const OFFLINE_PIP = {
  PIP_NO_INDEX: "1",
  PIP_FIND_LINKS: WHEELS,
  PIP_DISABLE_PIP_VERSION_CHECK: "1",
} as const;

/** A virtual environment that was empty before the Python client was installed into it. */
export class PythonEnvironment {
  readonly folder: string;

  private constructor(folder: string) {
    this.folder = folder;
  }

  static async create(...packages: string[]): Promise<PythonEnvironment> {
    const environment = new PythonEnvironment(await mkdtemp(join(tmpdir(), "gold-python-")));
    await promisify(execFile)("python3", ["-m", "venv", environment.folder], { timeout: RUN_MS });
    await environment.run(["-m", "pip", "install", "--quiet", PYTHON_PACKAGE, ...packages]);
    return environment;
  }

  get python(): string {
    return join(this.folder, "bin/python");
  }

  /** Runs Python, and returns what it prints. Throws with its output unless it exits with 0. */
  async run(words: readonly string[], env: Readonly<Record<string, string>> = {}): Promise<string> {
    const { stdout, stderr } = await promisify(execFile)(this.python, ["-B", ...words], {
      cwd: PYTHON_PACKAGE,
      env: {
        ...{ PATH: process.env.PATH ?? "", MYPY_CACHE_DIR: join(this.folder, "mypy_cache") },
        ...OFFLINE_PIP,
        ...env,
      },
      timeout: RUN_MS,
    }).catch((error: Error & { stdout?: string; stderr?: string }) => {
      throw new Error(
        `${error.message}\nPackages missing? Run: node tools/run.mjs tools\n${error.stdout}${error.stderr}`,
      );
    });
    return stdout + stderr;
  }

  async remove(): Promise<void> {
    await rm(this.folder, { recursive: true, force: true });
  }
}

/** The members of the package's TryReport. */
export interface PythonReport {
  readonly operation: string;
  readonly status: number | null;
  readonly code: string | null;
  readonly retry_in_seconds: number | null;
}

/** The members of the package's GoldError that the tests read. */
export class PythonError extends Error {
  readonly code: string;
  readonly retryable: boolean;
  readonly outcome_unknown: boolean;
  readonly idempotency_key: string | null;

  constructor(facts: PythonError) {
    super(facts.message);
    this.code = facts.code;
    this.retryable = facts.retryable;
    this.outcome_unknown = facts.outcome_unknown;
    this.idempotency_key = facts.idempotency_key;
  }
}

// deno-lint-ignore no-explicit-any -- the replies of Python are JSON, and each test knows the members it reads.
type Result = any;
type Line = { id: number; result?: Result; error?: PythonError } | { report: PythonReport };

/** A process that makes the calls of a test with GoldClient or AsyncGoldClient. */
export class PythonClient {
  readonly reports: PythonReport[] = [];
  readonly #child;
  readonly #ended: Promise<unknown>;
  readonly #waiting = new Map<number, PromiseWithResolvers<Result>>();
  #calls = 0;

  constructor({ python }: PythonEnvironment, kind: "sync" | "async", credentials: string, plan: object) {
    this.#child = spawn(python, ["-B", FIXTURE, kind, credentials, JSON.stringify(plan)], { stdio: "pipe" });
    let complaint = "";
    this.#child.stderr.setEncoding("utf8").on("data", (text: string) => complaint += text);
    this.#child.stdin.on("error", () => {});
    createInterface({ input: this.#child.stdout }).on("line", (text) => this.#hear(JSON.parse(text) as Line));
    this.#ended = once(this.#child, "close").then(() => {
      for (const { reject } of this.#waiting.values()) reject(new Error(`Python has ended.\n${complaint}`));
    });
  }

  /** Makes a call, and returns its result, in which a Decimal is its text. Throws PythonError. */
  call(name: string, members: object = {}): Promise<Result> {
    return this.#say({ call: name, with: members });
  }

  /** Cancels the newest call. */
  cancel(): void {
    this.#child.stdin.write(`${JSON.stringify({ cancel: this.#calls })}\n`);
  }

  outcomesOf(operation: string): string[] {
    return this.reports.filter((report) => report.operation === operation)
      .map(({ status, code }) => code ?? `${status}`);
  }

  async close(): Promise<void> {
    const timer = setTimeout(() => this.#child.kill("SIGKILL"), RUN_MS);
    this.#child.stdin.end();
    await this.#ended;
    clearTimeout(timer);
  }

  #say(line: object): Promise<Result> {
    const id = ++this.#calls;
    const waiting = withResolvers<Result>();
    this.#waiting.set(id, waiting);
    this.#child.stdin.write(`${JSON.stringify({ id, ...line })}\n`);
    return waiting.promise;
  }

  #hear(line: Line): void {
    if ("report" in line) {
      this.reports.push(line.report);
      return;
    }
    const { resolve, reject } = this.#waiting.get(line.id)!;
    this.#waiting.delete(line.id);
    if (line.error) reject(new PythonError(line.error));
    else resolve(line.result);
  }
}

interface PromiseWithResolvers<T> {
  readonly promise: Promise<T>;
  readonly resolve: (value: T) => void;
  readonly reject: (reason: unknown) => void;
}

/** Promise.withResolvers(), which Node 20 does not have. */
function withResolvers<T>(): PromiseWithResolvers<T> {
  let [resolve, reject]: [(value: T) => void, (reason: unknown) => void] = [() => {}, () => {}];
  const promise = new Promise<T>((...both) => [resolve, reject] = both);
  return { promise, resolve, reject };
}

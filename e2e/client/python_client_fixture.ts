import { execFile } from "node:child_process";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import process from "node:process";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { ClientProgram } from "./client_program_fixture.ts";

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
      maxBuffer: 2 ** 24,
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

/** A process that makes the calls of a test with GoldClient or AsyncGoldClient. */
export class PythonClient extends ClientProgram {
  constructor({ python }: PythonEnvironment, kind: "sync" | "async", credentials: string, plan: object) {
    super(python, ["-B", FIXTURE, kind, credentials, JSON.stringify(plan)]);
  }

  protected override line(name: string, members: Record<string, unknown>): object {
    const { from: first_day, to: last_day, take, ...others } = members;
    const days = first_day === undefined ? {} : { first_day, last_day };
    return { call: name, with: { ...others, ...days }, ...take === undefined ? {} : { take } };
  }

  /** Cancels the newest call. */
  cancel(): void {
    this.write({ cancel: this.calls });
  }
}

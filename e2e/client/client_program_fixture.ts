import { spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";

const RUN_MS = 180_000;

/** The members that each package's report of a try has. */
export interface ClientReport {
  readonly operation: string;
  readonly status: number | null;
  readonly code: string | null;
  readonly retry_in_seconds: number | null;
}

/** The members that the tests read of the error of each package. */
export class ClientError extends Error {
  readonly code: string;
  readonly retryable: boolean;
  readonly outcome_unknown: boolean;
  readonly idempotency_key: string | null;

  constructor(facts: ClientError) {
    super(facts.message);
    this.code = facts.code;
    this.retryable = facts.retryable;
    this.outcome_unknown = facts.outcome_unknown;
    this.idempotency_key = facts.idempotency_key;
  }
}

// deno-lint-ignore no-explicit-any -- the replies of a program are JSON, and each test knows the members it reads.
type Result = any;
type Line = { id: number; result?: Result; error?: ClientError } | { report: ClientReport };

/**
 * A program in another language that makes the calls of a test. It reads a call from each line of its stdin, and
 * writes each result and each report of a try to a line of its stdout.
 */
export class ClientProgram {
  readonly reports: ClientReport[] = [];
  readonly #child;
  readonly #ended: Promise<unknown>;
  readonly #waiting = new Map<number, PromiseWithResolvers<Result>>();
  #calls = 0;

  constructor(command: string, args: readonly string[]) {
    this.#child = spawn(command, args, { stdio: "pipe" });
    let complaint = "";
    this.#child.stderr.setEncoding("utf8").on("data", (text: string) => complaint += text);
    this.#child.stdin.on("error", () => {});
    createInterface({ input: this.#child.stdout }).on("line", (text) => this.#hear(JSON.parse(text) as Line));
    this.#ended = once(this.#child, "close").then(() => {
      for (const { reject } of this.#waiting.values()) {
        reject(new Error(`The program has ended.\n${complaint}`));
      }
    });
  }

  /** Makes a call, and returns its result, in which a quantity is its text. Throws ClientError. */
  call(name: string, members: object = {}): Promise<Result> {
    return this.say(this.line(name, members));
  }

  protected say(line: object): Promise<Result> {
    const id = ++this.#calls;
    const waiting = withResolvers<Result>();
    this.#waiting.set(id, waiting);
    this.write({ id, ...line });
    return waiting.promise;
  }

  /** The line for a call whose name and members are those of the Python client. */
  protected line(name: string, members: object): object {
    return { call: name, with: members };
  }

  protected write(line: object): void {
    this.#child.stdin.write(`${JSON.stringify(line)}\n`);
  }

  /** How many calls were made. */
  protected get calls(): number {
    return this.#calls;
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

  /** Ends the program in the middle of its calls. */
  kill(): void {
    this.#child.kill("SIGKILL");
  }

  #hear(line: Line): void {
    if ("report" in line) {
      this.reports.push(line.report);
      return;
    }
    const { resolve, reject } = this.#waiting.get(line.id)!;
    this.#waiting.delete(line.id);
    if (line.error) reject(new ClientError(line.error));
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

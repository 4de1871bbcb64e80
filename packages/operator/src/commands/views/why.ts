import { createReadStream } from "node:fs";
import process from "node:process";
import { createInterface } from "node:readline";
import type { Command, Row } from "../../command.ts";
import { EXIT, Failure, usage } from "../../failure.ts";
import { optional } from "../../values.ts";
import { describeRequest, findRequest, type KeptRequest, resultOf } from "../../views/requests.ts";

const STDIN = "-";
/** A request has one line of the service and one of Envoy. More are of another request's text. */
const MOST_LINES = 20;

const why: Command = {
  words: "why",
  usage: "why REQUEST_ID [--log FILE]",
  does:
    "says how a request ended: by the books, and by a log of the service or Envoy; --log - reads it from a pipe",
  options: { log: { type: "string" } },
  takes: ["REQUEST_ID"],
  async run({ values, read, path, positionals: [id] }) {
    const kept = await findRequest(read, id!);
    const log = optional(values, "log");
    const lines = log === undefined ? [] : await findLines(log === STDIN ? STDIN : path(log), id!);
    const looked = log === undefined
      ? "the books"
      : `the books and ${log === STDIN ? "standard input" : log}`;
    const outcome = kept ? outcomeOf(kept) : outcomeOfLog(lines);
    if (outcome === undefined) throw notFound(id!, looked, log !== undefined);
    return {
      object: { ...(kept ? { client_id: kept.client_id, name: kept.name } : {}), outcome, looked_in: looked },
      ...(kept ? { parts: { request: await describeRequest(kept) } } : {}),
      lists: log === undefined ? {} : { lines },
    };
  },
};

export const WHY_COMMANDS: readonly Command[] = [why];

function outcomeOf(kept: KeptRequest): string {
  const { kind, problem } = kept;
  if (problem) return `refused, and kept as the answer to its key: ${problem.code}: ${problem.detail}`;
  return `done: ${resultOf(kept) ?? kind}`;
}

function outcomeOfLog(lines: readonly Row[]): string | undefined {
  const [line] = lines.filter(({ status }) => status !== null);
  if (!line) return undefined;
  const { status, code } = line;
  if (Number(status) < 400) return `answered with ${status}; it wrote nothing that is bound to a key`;
  return `refused with ${status}${code === null ? "" : ` ${code}`}; this refusal is counted, not kept`;
}

const notFound = (id: string, looked: string, hasLog: boolean): Failure =>
  new Failure(
    EXIT.refused,
    "not_found",
    `Nothing in ${looked} has the request ${id}. The books keep results and the refusals that are bound to an ` +
      "idempotency key. Other refusals are counted in gold_refusals_total, not kept; of each code, the first ten " +
      `of a partner in a second have a line in the log${hasLog ? "" : ": give it with --log FILE"}.`,
  );

/** Finds the lines of a request in a log of the service or of Envoy. */
async function findLines(file: string, id: string): Promise<Row[]> {
  const found: Row[] = [];
  const input = file === STDIN ? process.stdin : createReadStream(file);
  try {
    for await (const text of createInterface({ input, crlfDelay: Infinity })) {
      const line = text.includes(id) ? readLine(text) : undefined;
      if (line?.request_id === id) found.push(describeLine(line));
      if (found.length === MOST_LINES) break;
    }
  } catch (error) {
    throw usage(`--log ${file} cannot be read: ${(error as Error).message}`);
  }
  return found;
}

type Line = Readonly<Record<string, string | number | undefined>>;

/** Reads the JSON of a line. A collector may have put its own text before it. */
function readLine(text: string): Line | undefined {
  try {
    return JSON.parse(text.slice(text.indexOf("{")));
  } catch {
    return undefined;
  }
}

const describeLine = (line: Line): Row => ({
  at: line.at ?? line.time ?? null,
  from: line.event === undefined ? "envoy" : "service",
  request: [line.method, line.route ?? line.path].filter((word) => word !== undefined).join(" "),
  status: line.status ?? null,
  code: line.code ?? (line.event === undefined ? line.details : undefined) ?? null,
  client_id: line.client_id ?? null,
  duration_ms: line.duration_ms ?? null,
});

import { gold } from "./gold.ts";
import type { Terminal } from "./terminal.ts";

/** The result of one run of `gold`, as the tests see it. */
export interface Run {
  readonly exit: number;
  readonly out: string;
  readonly err: string;
  /** The questions that were answered as `yes` and `typed` say. */
  readonly questions: readonly string[];
  /** Standard output, parsed as the one JSON object that a command prints with `--json`. */
  readonly json: Record<string, unknown>;
  /** The last line of standard error, parsed as a problem. */
  readonly problem: { readonly code: string; readonly detail: string; readonly exit_code: number };
}

/** The terminal of a person, who answers every question with `yes`, or types `typed`. */
interface Person extends Partial<Terminal> {
  readonly yes?: boolean;
  readonly typed?: string;
}

/** Runs a command. Its first argument is split at spaces, so that it can name the command and its options. */
export async function runGold(
  [words, ...more]: readonly string[],
  { yes, typed, ...terminal }: Person = {},
): Promise<Run> {
  const [out, err, questions]: [string[], string[], string[]] = [[], [], []];
  const answering =
    <T>(answer: T) => (question: string) => (questions.push(question), Promise.resolve(answer));
  const exit = await gold([...words?.split(" ") ?? [], ...more], {
    env: {},
    out: (text) => out.push(text),
    err: (text) => err.push(text),
    now: () => new Date(),
    random: (length) => crypto.getRandomValues(new Uint8Array(length)),
    ...(yes === undefined ? {} : { ask: answering(yes) }),
    ...(typed === undefined ? {} : { askText: answering(typed) }),
    ...terminal,
  });
  return {
    exit,
    questions,
    out: out.join("\n"),
    err: err.join("\n"),
    get json() {
      return JSON.parse(out.join("\n")) as Record<string, unknown>;
    },
    get problem() {
      return JSON.parse(err.at(-1)!) as Run["problem"];
    },
  };
}

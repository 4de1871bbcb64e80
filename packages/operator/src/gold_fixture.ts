import { gold, type Terminal } from "./gold.ts";

/** The result of one run of `gold`, as the tests see it. */
export interface Run {
  readonly exit: number;
  readonly out: string;
  readonly err: string;
  /** Standard output, parsed as the one JSON object that a command prints with `--json`. */
  readonly json: Record<string, unknown>;
  /** The last line of standard error, parsed as a problem. */
  readonly problem: { readonly code: string; readonly detail: string; readonly exit_code: number };
}

export async function runGold(argv: readonly string[], terminal: Partial<Terminal> = {}): Promise<Run> {
  const [out, err]: [string[], string[]] = [[], []];
  const exit = await gold(argv, {
    env: {},
    out: (text) => out.push(text),
    err: (text) => err.push(text),
    now: () => new Date(),
    random: (length) => crypto.getRandomValues(new Uint8Array(length)),
    ...terminal,
  });
  return {
    exit,
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

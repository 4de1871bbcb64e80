import { spawnSync } from "node:child_process";
import { findTool } from "../../testing/toxiproxy.ts";

/** Halalas, and units of 0.0001 g. Each is far below the largest exact integer. */
export interface Amounts {
  readonly available: number;
  readonly held: number;
  readonly gold: number;
}

/**
 * One request, and the reply that decided it. `client`, `call` and `return` are added when it is recorded.
 */
export type Happened =
  | {
    readonly kind: "write";
    readonly key: string;
    readonly quote?: string;
    readonly change: Amounts;
    readonly after: Amounts;
    readonly id: string;
  }
  | {
    readonly kind: "refusal";
    readonly key: string;
    readonly quote?: string;
    readonly change: Amounts;
    readonly code: string;
  }
  | { readonly kind: "balances"; readonly after: Amounts }
  | { readonly kind: "events"; readonly ids: readonly string[] }
  | { readonly kind: "find" | "replay"; readonly key: string; readonly id: string };

export type Operation = Happened & {
  readonly client: number;
  /** Nanoseconds. */
  readonly call: number;
  readonly return: number;
};

/** What the clients of one account saw, from a moment at which nothing was in flight. */
export interface History {
  readonly account: string;
  readonly start: Amounts;
  readonly operations: readonly Operation[];
}

interface Verdict {
  readonly account: string;
  readonly result: "ok" | "illegal" | "unknown";
  readonly operations: number;
  readonly explained: number;
  readonly rest?: readonly Operation[];
}

/**
 * Returns a sentence for each history that is not linearizable: no order of its requests fits their times and
 * explains all replies. Draws the first one in the page `drawing`.
 */
export function findAnomalies(histories: readonly History[], drawing: string): string[] {
  const { status, stdout, stderr } = spawnSync(findTool("porcupine"), [drawing], {
    input: JSON.stringify(histories),
    encoding: "utf8",
    maxBuffer: 1 << 26,
  });
  if (status !== 0) throw new Error(`porcupine failed: ${stderr}`);
  return stdout.trim().split("\n").map((line) => JSON.parse(line) as Verdict).flatMap(
    ({ account, result, operations, explained, rest = [] }) => {
      if (result === "ok") return [];
      const left = rest.map((each) => JSON.stringify(each)).join("; ");
      return [
        `${account}: ${
          result === "unknown" ? "the check did not end" : "the history is not linearizable"
        }; ` +
        `an order explains ${explained} of ${operations} requests, but not ${left}`,
      ];
    },
  );
}

import type { Stage } from "../stage/stage.ts";
import { type Reply, tallyOf, tallyText } from "../stage/wire.ts";

export type Tally = Readonly<Record<string, number>>;

/** Prepared requests, and the combinations of replies that are allowed. */
interface Round {
  readonly requests: readonly Uint8Array[];
  /** Every correct tally of replies. There are several if any of the requests may win. */
  readonly allowed: readonly Tally[];
  /** All successful replies must have the same body, byte for byte. */
  readonly oneAnswer?: boolean;
  /** An operator's action that runs at the same time as the requests. */
  readonly meanwhile?: () => Promise<void>;
  /** Checks the state after the round, and cleans up. */
  readonly after?: (replies: readonly (Reply | undefined)[]) => Promise<string[]>;
}

export interface Race {
  readonly name: string;
  prepare(stage: Stage, requests: number): Promise<Round>;
}

export const repeat = <T>(count: number, make: (n: number) => T): T[] =>
  Array.from({ length: count }, (_, n) => make(n));

export const onceAndReplays = (count: number): Tally => ({ "201": 1, "200 replayed": count - 1 });

/** Returns what is wrong with a round's replies. */
export function check(round: Round, replies: readonly (Reply | undefined)[]): string[] {
  const given = tallyText(tallyOf(replies));
  const allowed = round.allowed.map((tally) =>
    tallyText(new Map(Object.entries(tally).sort().filter(([, n]) => n > 0)))
  );
  const violations = allowed.includes(given)
    ? []
    : [`replies were ${given}; allowed: ${allowed.slice(0, 3).join(" or ")}`];
  const answers = new Set(replies.filter((reply) => reply && reply.status < 300).map((reply) => reply!.body));
  if (round.oneAnswer && answers.size !== 1) {
    violations.push(
      `all successful replies to one idempotency key must have the same body; got ${answers.size} different bodies`,
    );
  }
  return violations;
}

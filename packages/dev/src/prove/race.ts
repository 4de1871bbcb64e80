import type { Stage } from "./stage.ts";
import { type Reply, tallyOf, tallyText } from "./wire.ts";

export type Tally = Readonly<Record<string, number>>;

/** Requests prepared to the last byte, and what their replies may be together. */
interface Round {
  readonly requests: readonly Uint8Array[];
  /** Every tally of replies that is right; more than one where the winner is free. */
  readonly allowed: readonly Tally[];
  /** All successes must be the same bytes. */
  readonly oneAnswer?: boolean;
  /** What somebody else does at the same time. */
  readonly meanwhile?: () => Promise<void>;
  /** Looks at what is left, and clears up. */
  readonly after?: (replies: readonly (Reply | undefined)[]) => Promise<string[]>;
}

export interface Race {
  readonly name: string;
  prepare(stage: Stage, requests: number): Promise<Round>;
}

export const repeat = <T>(count: number, make: (n: number) => T): T[] =>
  Array.from({ length: count }, (_, n) => make(n));

export const onceAndReplays = (count: number): Tally => ({ "201": 1, "200 replayed": count - 1 });

/** What of a round's replies was not as it should be. */
export function judge(round: Round, replies: readonly (Reply | undefined)[]): string[] {
  const given = tallyText(tallyOf(replies));
  const allowed = round.allowed.map((tally) =>
    tallyText(new Map(Object.entries(tally).sort().filter(([, n]) => n > 0)))
  );
  const violations = allowed.includes(given)
    ? []
    : [`replies were ${given}; allowed: ${allowed.slice(0, 3).join(" or ")}`];
  const answers = new Set(replies.filter((reply) => reply && reply.status < 300).map((reply) => reply!.body));
  if (round.oneAnswer && answers.size !== 1) violations.push(`${answers.size} different answers to one key`);
  return violations;
}

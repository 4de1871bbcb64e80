import type { Fault } from "./fault.ts";
import type { Plan } from "./plan.ts";

/** After this many rounds, a fault must have had its effect. */
const ROUNDS_TO_CHECK = 5;
/** Without a fault, each request takes less time. */
const SLOW_MS = 300;

/** How a round affected its requests. */
export interface Effect {
  /** Requests that were refused or left without a reply. */
  readonly disturbed: number;
  readonly slowestMs: number;
}

export const affectsRequests = ({ disturbed, slowestMs }: Effect): boolean =>
  disturbed > 0 || slowestMs >= SLOW_MS;

interface Sum {
  readonly fault: Fault;
  rounds: number;
  unaffected: number;
  disturbed: number;
  slowestMs: number;
}

/** Sums the effects of each fault over the rounds in which it struck alone. */
export class Effects {
  readonly #sums = new Map<string, Sum>();

  add({ strikes }: Plan, effect: Effect): void {
    const [strike, second] = strikes;
    if (second) return;
    const { fault } = strike!;
    const sum = this.#sums.get(fault.name) ??
      { fault, rounds: 0, unaffected: 0, disturbed: 0, slowestMs: 0 };
    sum.rounds++;
    if (!affectsRequests(effect)) sum.unaffected++;
    sum.disturbed += effect.disturbed;
    sum.slowestMs = Math.max(sum.slowestMs, effect.slowestMs);
    this.#sums.set(fault.name, sum);
  }

  /** One line per fault. */
  get lines(): string[] {
    return [...this.#sums].sort().map(([name, { rounds, unaffected, disturbed, slowestMs }]) =>
      `${name}: ${rounds} rounds, ${unaffected} without an affected request, ` +
      `${disturbed} requests refused or unanswered, the slowest took ${(slowestMs / 1000).toFixed(1)} s`
    );
  }

  /** The faults that must disturb or delay requests, and that struck often enough to tell. */
  get #checked(): readonly Sum[] {
    return [...this.#sums.values()].filter(({ rounds, fault }) =>
      rounds >= ROUNDS_TO_CHECK && (fault.disturbs || fault.delays)
    );
  }

  /** Says how many faults were checked. In a short run, most faults strike too rarely. */
  get what(): string {
    return `${this.#checked.length} of ${this.#sums.size} faults checked, which struck alone in ${ROUNDS_TO_CHECK} rounds or more`;
  }

  /** Names the faults that never had their effect, for example because strace could not attach. */
  get violations(): string[] {
    return this.#checked.flatMap(
      ({ fault, rounds, unaffected, disturbed }) =>
        fault.disturbs && disturbed === 0 || fault.delays && unaffected === rounds
          ? [`${fault.name} had no effect in ${rounds} rounds`]
          : [],
    );
  }
}

import type { Fault } from "./fault.ts";
import type { Plan } from "./plan.ts";

/** After this many rounds, a fault must have shown its effect. */
const ROUNDS_TO_JUDGE = 5;

interface Effect {
  readonly fault: Fault;
  rounds: number;
  disturbed: number;
  slowestMs: number;
}

/** What each fault did when it struck alone. */
export class Effects {
  readonly #effects = new Map<string, Effect>();

  add(
    { strikes }: Plan,
    { disturbed, slowestMs }: { readonly disturbed: number; readonly slowestMs: number },
  ): void {
    const [strike, second] = strikes;
    if (second) return;
    const { fault } = strike!;
    const effect = this.#effects.get(fault.name) ?? { fault, rounds: 0, disturbed: 0, slowestMs: 0 };
    effect.rounds++;
    effect.disturbed += disturbed;
    effect.slowestMs = Math.max(effect.slowestMs, slowestMs);
    this.#effects.set(fault.name, effect);
  }

  /** One line per fault. */
  get lines(): string[] {
    return [...this.#effects].sort().map(([name, { rounds, disturbed, slowestMs }]) =>
      `${name}: ${rounds} rounds, ${disturbed} requests refused or unanswered, the slowest took ${
        (slowestMs / 1000).toFixed(1)
      } s`
    );
  }

  /** The faults that disturbed nothing although they must, for example because strace may not attach. */
  get violations(): string[] {
    return [...this.#effects.values()].flatMap(({ fault, rounds, disturbed }) =>
      fault.disturbs && rounds >= ROUNDS_TO_JUDGE && disturbed === 0
        ? [`${fault.name} had no effect in ${rounds} rounds`]
        : []
    );
  }
}

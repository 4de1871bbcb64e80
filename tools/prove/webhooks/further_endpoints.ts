import type { Trader } from "../stage/trader.ts";
import type { Behaviour } from "./behaviour.ts";
import { FURTHER_EACH, type Setup } from "./setup.ts";

/** A further endpoint of a partner: its types, or none for all types, and how its receiver behaves. */
interface FurtherEndpoint {
  readonly types: readonly string[];
  readonly behaviour: Behaviour;
}

/** Two endpoints of one partner, besides its first one. */
type FurtherPair = readonly [FurtherEndpoint, FurtherEndpoint];

/**
 * During kills: an endpoint that gets only some types, and one that is dead or slow. The dead one gets few
 * events, because it rests after each five failures.
 */
export const DURING_KILLS: readonly FurtherPair[] = [
  [
    { types: ["order.executed"], behaviour: "by chance" },
    { types: ["funding.completed"], behaviour: "refuses" },
  ],
  [{ types: ["funding.completed"], behaviour: "by chance" }, { types: [], behaviour: "slow" }],
];

/** Beside an endpoint whose speed is measured: a dead endpoint and a slow one. */
export const DEAD_AND_SLOW: readonly FurtherPair[] = [
  [{ types: [], behaviour: "refuses" }, { types: [], behaviour: "slow" }],
  [{ types: [], behaviour: "hangs" }, { types: [], behaviour: "slow" }],
];

/** The partners that can have further endpoints. */
export function partnersWithThree({ deployment, receivers }: Setup): readonly Trader[] {
  const { traders } = deployment;
  return traders.slice(0, (receivers.urls.length - traders.length) / FURTHER_EACH);
}

/** Adds the further endpoints. The partners get the pairs in turn. */
export async function addFurther(setup: Setup, pairs: readonly FurtherPair[]): Promise<void> {
  const partners = partnersWithThree(setup);
  const first = setup.deployment.traders.length;
  for (const [n, partner] of partners.entries()) {
    for (const [at, { types }] of pairs[n % pairs.length]!.entries()) {
      await setup.receivers.add(first + n * FURTHER_EACH + at, partner, types);
    }
  }
}

/** Returns how the receiver of a further endpoint behaves; `otherwise` for a first endpoint. */
export function behaviourBeside(
  { deployment: { traders } }: Setup,
  pairs: readonly FurtherPair[],
  otherwise: Behaviour,
): (receiver: number) => Behaviour {
  return (receiver) => {
    const at = receiver - traders.length;
    if (at < 0) return otherwise;
    return pairs[Math.floor(at / FURTHER_EACH) % pairs.length]![at % FURTHER_EACH]!.behaviour;
  };
}

export async function removeFurther({ receivers }: Setup): Promise<void> {
  for (const { receiver, number } of [...receivers.endpoints.values()]) {
    if (number > 1) await receivers.remove(receiver);
  }
}

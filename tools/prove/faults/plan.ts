import { DISK_FAULTS } from "./disk_faults.ts";
import { Draw } from "./draw.ts";
import type { Fault, Settings } from "./fault.ts";
import { NETWORK_FAULTS } from "./network_faults.ts";
import { PROCESS_FAULTS } from "./process_faults.ts";

const FAULTS: readonly Fault[] = [...NETWORK_FAULTS, ...PROCESS_FAULTS, ...DISK_FAULTS];

/** One fault of a round. */
export interface Strike {
  readonly fault: Fault;
  readonly settings: Settings;
  /** Milliseconds from the start of the round. */
  readonly atMs: number;
  readonly lengthMs: number;
}

export interface Plan {
  readonly seed: number;
  readonly strikes: readonly Strike[];
}

/** On average, one round in this many has two faults. */
const TWO_FAULTS_ONCE_IN = 4;
const LATEST_MS = 600;

/** Draws a round. It depends on the seed alone. */
export function drawPlan(seed: number): Plan {
  const draw = new Draw(seed, "plan");
  const first = draw.weighted(FAULTS);
  const others = FAULTS.filter(({ family }) => family !== first.family);
  const faults = draw.below(TWO_FAULTS_ONCE_IN) === 0 ? [first, draw.weighted(others)] : [first];
  return { seed, strikes: faults.map((fault) => drawStrike(fault, draw)) };
}

function drawStrike(fault: Fault, draw: Draw): Strike {
  return {
    fault,
    settings: fault.draw(draw),
    atMs: draw.between(100, LATEST_MS),
    lengthMs: draw.between(...fault.lasts),
  };
}

export function describePlan({ strikes }: Plan): string {
  return strikes.map(({ fault, settings, atMs, lengthMs }) => {
    const drawn = Object.entries(settings).map(([name, value]) => `${name} ${value}`).join(", ");
    return `${fault.name}${drawn && ` (${drawn})`} after ${atMs} ms for ${lengthMs} ms`;
  }).join(" and ");
}

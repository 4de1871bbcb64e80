import type { Draw } from "./draw.ts";
import { type Fault, nothing, type Settings } from "./fault.ts";
import type { Place } from "./fault_stage.ts";
import type { Toxic } from "../../testing/toxiproxy.ts";

interface NetworkFault {
  readonly name: string;
  readonly type: Toxic["type"];
  readonly disturbs?: true;
  readonly attributes: (draw: Draw) => Readonly<Record<string, number>>;
}

const HALF_OPEN: NetworkFault = {
  name: "half-open",
  type: "timeout",
  disturbs: true,
  attributes: () => ({ timeout: 0 }),
};

const BROKEN: readonly NetworkFault[] = [
  {
    name: "slow",
    type: "latency",
    attributes: (draw) => ({ latency: draw.between(5, 300), jitter: draw.between(0, 200) }),
  },
  // KB/s.
  { name: "narrow", type: "bandwidth", attributes: (draw) => ({ rate: draw.between(1, 64) }) },
  {
    name: "cut",
    type: "reset_peer",
    disturbs: true,
    attributes: (draw) => ({ timeout: draw.of([0, 0, 20, 200]) }),
  },
  HALF_OPEN,
  { name: "slow to close", type: "slow_close", attributes: (draw) => ({ delay: draw.between(100, 2000) }) },
  {
    name: "cut within a message",
    type: "limit_data",
    attributes: (draw) => ({ bytes: draw.between(1, 20_000) }),
  },
];

const SHORT: readonly [number, number] = [300, 2500];
/** Longer than the 17 s after which the service notices a silent database (docs/deployment.md). */
const LONG: readonly [number, number] = [17_000, 20_000];

const PLACES: readonly Place[] = ["database", "partner", "receiver"];

/** A broken receiver delays events, but refuses no request of a partner. So it is drawn less often. */
const traitsOf = (place: Place, breaks: true | undefined) => ({
  weight: place === "receiver" ? 1 : 3,
  ...(place === "partner" ? { breaksPartner: true as const } : {}),
  ...(breaks && place !== "receiver" ? { disturbs: true as const } : {}),
});

export const NETWORK_FAULTS: readonly Fault[] = [
  ...PLACES.flatMap((place) => [...BROKEN.map((broken) => faultAt(place, broken)), unreachable(place)]),
  { ...faultAt("database", HALF_OPEN), name: "database half-open for long", weight: 1, lasts: LONG },
];

function faultAt(place: Place, { name, type, disturbs, attributes }: NetworkFault): Fault {
  return {
    name: `${place} ${name}`,
    family: "network",
    lasts: SHORT,
    ...traitsOf(place, disturbs),
    draw: (draw) => ({ type, stream: draw.of(["upstream", "downstream"]), ...attributes(draw) }),
    async strike({ proxies, toxiproxy }, settings) {
      const toxic = toxicOf(settings);
      await Promise.all(proxies(place).map((proxy) => toxiproxy.poison(proxy, toxic)));
      return nothing;
    },
  };
}

function unreachable(place: Place): Fault {
  return {
    name: `${place} unreachable`,
    family: "network",
    lasts: SHORT,
    ...traitsOf(place, true),
    draw: () => ({}),
    async strike({ proxies, toxiproxy }) {
      await Promise.all(proxies(place).map((proxy) => toxiproxy.disable(proxy)));
      return nothing;
    },
  };
}

function toxicOf({ type, stream, ...attributes }: Settings): Toxic {
  return { type, stream, attributes } as unknown as Toxic;
}

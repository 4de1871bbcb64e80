import type { Finding } from "../stage/report.ts";
import { untilDelivered } from "../stage/until_delivered.ts";
import { countAgain } from "./check_arrivals.ts";
import type { Setup } from "./setup.ts";
import { median } from "../../testing/statistics.ts";
import { takeTurn, type Turn, type TurnPlan } from "./turn.ts";

/** A fault at other receivers than those whose speed is measured. */
export interface Trouble {
  readonly name: string;
  begin(): Promise<void>;
  /** Ends the trouble. Afterwards untilDelivered() must be able to finish. */
  end(): Promise<void>;
}

interface Pairs extends TurnPlan {
  readonly count: number;
  /** The highest ratio of the medians allowed. Undefined if it is not checked. */
  readonly medianRatioMax?: number;
  /**
   * The highest ratio of the 99th percentiles allowed. Undefined for a short run, whose ratio is mostly chance
   * and is not checked.
   */
  readonly slowRatioMax: number | undefined;
}

/**
 * The delay that shows that an event waited for another partner's hanging or resting receiver: its first
 * attempt begins at least this much later.
 */
const WAIT_MS = 1000;
const DRAIN_MS = 90_000;

/**
 * Runs turns alternately without and with the trouble, with the same number of orders at the same rate.
 * Measures how much longer the receivers that have no trouble wait.
 */
export async function measurePairs(setup: Setup, trouble: Trouble, pairs: Pairs): Promise<Finding> {
  const turns = { alone: [] as Turn[], beside: [] as Turn[] };
  let again = 0;
  const run = async (name: keyof typeof turns) => {
    if (name === "beside") await trouble.begin();
    const turn = await takeTurn(setup, pairs);
    turns[name].push(turn);
    if (name === "beside") await trouble.end();
    await untilDelivered(setup.deployment, DRAIN_MS);
    const later = (await setup.receivers.take()).filter(({ receiver }) => receiver < pairs.well);
    again += countAgain([...turn.arrivals, ...later]);
  };
  for (let pair = 0; pair < pairs.count; pair++) {
    for (const name of pair % 2 === 0 ? ["alone", "beside"] as const : ["beside", "alone"] as const) {
      await run(name);
    }
  }
  const ratioOf = (name: "medianMs" | "slowMs") =>
    median(turns.beside.map((turn, n) => turn[name] / turns.alone[n]![name]));
  const judged = [
    { name: "median", ratio: ratioOf("medianMs"), most: pairs.medianRatioMax },
    { name: "99th percentile", ratio: ratioOf("slowMs"), most: pairs.slowRatioMax },
  ];
  const longest = (some: readonly Turn[]) => Math.max(...some.map(({ beganMs }) => beganMs));
  const [aloneMs, longestMs] = [longest(turns.alone), longest(turns.beside)];
  const refusals = [...turns.alone, ...turns.beside].flatMap((turn) => turn.refusals);
  const said = ({ medianMs, slowMs }: Turn) => `${medianMs}/${slowMs}`;
  return {
    what:
      `event to arrival in ms, median/99th percentile: ${turns.alone.map(said).join(" ")} without, ${
        turns.beside.map(said).join(" ")
      } with ${trouble.name}; ratios (median of ${pairs.count}) ${
        judged.map(({ ratio }) => ratio.toFixed(2)).join("/")
      }; ` +
      `no first attempt began later than ${longestMs} ms (${aloneMs} ms without); ${again} events arrived again` +
      (refusals.length === 0
        ? ""
        : `; ${refusals.length} orders were refused at first: ${[...new Set(refusals)].join(" ")}`),
    violations: [
      ...judged.filter(({ ratio, most = Infinity }) => ratio > most).map(({ name, ratio, most }) =>
        `the ${name} of healthy receivers is ${ratio.toFixed(2)} times as long; the limit is ${most}`
      ),
      ...(longestMs < aloneMs + WAIT_MS ? [] : [
        `a healthy receiver waited ${longestMs} ms for a first attempt, but ${aloneMs} ms without the trouble`,
      ]),
      ...(again === 0 ? [] : [`${again} events arrived again although nothing was killed`]),
    ],
  };
}

import type { Delivery, DeliveryAnswer } from "@gold-partner/server/testing";

/** All ways in which a receiver may fail a delivery. */
export const FAULTS = [
  "client error",
  "server error",
  "overloaded",
  "gone",
  "hangs",
  "cut before the answer",
  "cut within the answer",
  "ten megabytes",
] as const;
type ReceiverFault = (typeof FAULTS)[number];

/**
 * How a receiver behaves: it accepts everything, at once or after SLOW_MS (`slow`); refuses every connection
 * (`refuses`); always fails in one way; or (`by chance`) draws its answer at random for each delivery.
 * `by chance` also refuses some events at every try.
 */
export type Behaviour = "well" | "slow" | "refuses" | "by chance" | ReceiverFault;

/** The answer to one delivery. */
export interface Answer {
  readonly way: "well" | "slow" | "refused for good" | ReceiverFault;
  /** True if the answer is 2xx, even if it does not reach the sender. */
  readonly accepted: boolean;
  readonly answer: DeliveryAnswer;
}

const SLOW_MS = 5000;
const PART = new Uint8Array(64 << 10).fill(0x20);
/** A reply body of ten megabytes. The receiver sends it only as long as the service reads. */
const FLOOD = Array.from({ length: 160 }, () => PART);
/** How many of a thousand deliveries are treated in each of these ways. The others are accepted normally. */
const CHANCES: Readonly<Record<ReceiverFault, number>> = {
  "client error": 25,
  "server error": 25,
  "overloaded": 8,
  "gone": 2,
  "hangs": 5,
  "cut before the answer": 20,
  "cut within the answer": 20,
  "ten megabytes": 10,
};
/** One event in this many is refused at every try (`refused for good`). */
const REFUSED_EVERY = 250;

export function answerTo(behaviour: Exclude<Behaviour, "refuses">, { id, body }: Delivery): Answer {
  // Accept test events, because a partner requests one only when its receiver works again.
  if (behaviour === "well" || behaviour === "by chance" && body.startsWith('{"type":"webhook.test"')) {
    return WELL;
  }
  if (behaviour === "slow") return SLOW;
  if (behaviour !== "by chance") return answerOf(behaviour);
  if (Number.parseInt(id.slice(-6), 16) % REFUSED_EVERY === 0) return refuse();
  let chance = Math.floor(Math.random() * 1000);
  return answerOf(FAULTS.find((fault) => (chance -= CHANCES[fault]) < 0));
}

const WELL: Answer = { way: "well", accepted: true, answer: 204 };
const SLOW: Answer = { way: "slow", accepted: true, answer: { status: 204, delayMs: SLOW_MS } };

const refuse = (): Answer => ({
  way: "refused for good",
  accepted: false,
  answer: anyOf<DeliveryAnswer>(400, 500, "cut"),
});

function answerOf(fault: ReceiverFault | undefined): Answer {
  if (fault === undefined) return WELL;
  const answer = ANSWERS[fault]();
  const status = typeof answer === "object" ? answer.status : Number(answer);
  return { way: fault, accepted: status >= 200 && status < 300, answer };
}

const ANSWERS: Readonly<Record<ReceiverFault, () => DeliveryAnswer>> = {
  "client error": () => anyOf(400, 401, 404, 422),
  "server error": () => anyOf(500, 502, 503, 504),
  "overloaded": () => ({
    status: 429,
    headers: { "retry-after": anyOf("1", new Date(Date.now() + 2000).toUTCString()) },
  }),
  "gone": () => 410,
  "hangs": () => "hang",
  "cut before the answer": () => "cut",
  "cut within the answer": () => ({
    status: anyOf(200, 500),
    headers: { "content-length": 1000 },
    cut: true,
  }),
  "ten megabytes": () => ({ status: anyOf(200, 500), body: FLOOD }),
};

const anyOf = <T>(...choices: readonly T[]): T => choices[Math.floor(Math.random() * choices.length)]!;

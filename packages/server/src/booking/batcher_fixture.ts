import { Batcher, type BatcherOptions, type BatchItem, type Sending } from "./batcher.ts";
import type { Outcome } from "./outcome.ts";

/** A fixture for tests of the batcher: a fake database whose answers the test defines. */

export interface Item extends BatchItem {
  readonly name: string;
}

export const item = (client: number, name = `${client}`): Item => ({ client, name });
export const done = (body: string): Outcome => ({ outcome: "answered", status: 201, body });
export const busy: Outcome = { outcome: "busy", status: null, body: null };
export const failure = (code: string) => Object.assign(new Error(code), { code });

export interface Call extends Sending {
  readonly names: string[];
}

/**
 * Creates a batcher with a fake database, which answers each call with the result of `answer`. `calls` lists
 * the calls. `outcomes` and `bodies` submit the first item, and the others in the next turn of the event loop.
 */
export function scripted(
  answer: (call: Call, number: number) => Outcome[] | Promise<Outcome[]>,
  options: Partial<BatcherOptions> = {},
) {
  const calls: Call[] = [];
  const batcher = new Batcher<Item>(async (items, { wait, settle }) => {
    const call = { names: items.map(({ name }) => name), wait, settle };
    calls.push(call);
    return await answer(call, calls.length);
  }, {
    batchesInFlight: 1,
    batchItems: 64,
    queueItems: 100,
    clientQueueItems: 100,
    overloaded: () => new Error("overloaded"),
    ...options,
  });
  const outcomes = async (...items: Item[]) => {
    const [first, ...others] = items;
    const sent = batcher.submit(first!);
    await immediate();
    return await Promise.allSettled([sent, ...others.map((one) => batcher.submit(one))]);
  };
  const bodies = async (...items: Item[]) =>
    (await outcomes(...items)).map((one) => {
      if (one.status === "rejected") throw one.reason;
      return one.value.body;
    });
  return { batcher, calls, outcomes, bodies };
}

export const ok = ({ names }: Call) => names.map(done);

const immediate = () => new Promise((resolve) => setImmediate(resolve));

/** Lets the batcher send what `outcomes` and `bodies` have submitted so far. */
export async function turn(): Promise<void> {
  await new Promise((resolve) => setTimeout(resolve, 1));
  await immediates();
}

export async function immediates(): Promise<void> {
  for (let turns = 0; turns < 3; turns++) await immediate();
}

/** Lets a test decide when a call may continue. */
export function gate() {
  let open = () => {};
  const opened = new Promise<void>((resolve) => open = resolve);
  return { open: () => open(), opened };
}

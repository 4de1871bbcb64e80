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
 * the calls.
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
  const bodies = async (...items: Item[]) =>
    (await Promise.all(items.map((one) => batcher.submit(one)))).map(({ body }) => body);
  return { batcher, calls, bodies };
}

export const ok = ({ names }: Call) => names.map(done);
export const turn = () => new Promise((resolve) => setTimeout(resolve, 1));

/** Lets a test decide when a call may continue. */
export function gate() {
  let open = () => {};
  const opened = new Promise<void>((resolve) => open = resolve);
  return { open: () => open(), opened };
}

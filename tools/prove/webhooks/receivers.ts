import type { ServerCertificate } from "@gold-partner/dev";
import { type ChildProgram, startProgram } from "../../testing/child_program.ts";
import type { Deployment } from "../stage/deployment.ts";
import type { Trader } from "../stage/trader.ts";
import type { Behaviour } from "./behaviour.ts";
import type { Arrival, Task } from "./receivers_process.ts";

/** A webhook endpoint of a partner. Its receiver has an index among all receivers. */
export interface Endpoint {
  readonly receiver: number;
  readonly trader: Trader;
  /** The endpoint's number among those of its partner. */
  readonly number: number;
  /** The endpoint's id in `gold.receiver`. */
  readonly id: number;
  /** The types that the endpoint gets, besides tests. Empty for all types. */
  readonly types: readonly string[];
  /** The endpoint gets only events with a higher sequence number. */
  readonly addedAfter: number;
}

/**
 * The receivers of all partners, outside the delivering processes. The first half of the partners' first
 * endpoints runs in one process, and all others in another. So failing receivers in the second process take no
 * processor time from the first.
 */
export class Receivers {
  readonly urls: readonly string[];
  /** The endpoints by the index of their receiver. A partner's first endpoint has the partner's index. */
  readonly endpoints = new Map<number, Endpoint>();
  readonly #deployment: Deployment;
  readonly #processes: readonly Process[];

  private constructor(deployment: Deployment, processes: readonly Process[]) {
    this.#deployment = deployment;
    this.#processes = processes;
    this.urls = processes.flatMap(({ urls }) => urls);
  }

  /**
   * Opens a receiver for each partner of the deployment, and sets it as the partner's first endpoint. Opens
   * this many further receivers, for add().
   */
  static async open(deployment: Deployment, further = 0): Promise<Receivers> {
    const { traders, receiverCertificate } = deployment;
    const half = Math.ceil(traders.length / 2);
    const receivers = new Receivers(
      deployment,
      await Promise.all(
        [half, traders.length - half + further].map((count) => start(count, receiverCertificate)),
      ),
    );
    deployment.onStop(() => receivers.stop());
    for (const [receiver, trader] of traders.entries()) {
      await receivers.#verifyWith(receiver, trader.credentials.webhook_secret);
      await deployment.operator("partner set", trader.clientId, "--webhook", receivers.urls[receiver]!);
      receivers.endpoints.set(receiver, {
        receiver,
        trader,
        number: 1,
        id: trader.client,
        types: [],
        addedAfter: 0,
      });
    }
    return receivers;
  }

  /** Adds an endpoint of a partner at a further receiver. It gets these types, or all if there are none. */
  async add(receiver: number, trader: Trader, types: readonly string[]): Promise<void> {
    const { operator, sql } = this.#deployment;
    const options = ["--url", this.urls[receiver]!, ...types.flatMap((type) => ["--type", type])];
    const { webhook_secret } = await operator("endpoint add", trader.clientId, ...options);
    await this.#verifyWith(receiver, webhook_secret as string);
    const [row] = await sql`
      select id, number::int, added_after::int from gold.receiver
      where partner_id = ${trader.client} order by number desc limit 1`;
    const { id, number, added_after: addedAfter } = row as {
      id: number;
      number: number;
      added_after: number;
    };
    this.endpoints.set(receiver, { receiver, trader, number, id, types, addedAfter });
  }

  async remove(receiver: number): Promise<void> {
    const { trader, number } = this.endpoints.get(receiver)!;
    await this.#deployment.operator("endpoint remove", trader.clientId, `${number}`);
    await this.#verifyWith(receiver, undefined);
    this.endpoints.delete(receiver);
  }

  async behave(behaviourOf: (receiver: number) => Behaviour): Promise<void> {
    await Promise.all(
      this.#each((process, first) =>
        process.ask({ behaviours: process.urls.map((_, at) => behaviourOf(first + at)) })
      ),
    );
  }

  /** Returns the deliveries since the last call, in the order in which each receiver got them. */
  async take(): Promise<Arrival[]> {
    const taken = await Promise.all(this.#each(async (process, first) => {
      const arrivals = await process.ask<Arrival[]>({ take: true });
      return arrivals.map((arrival) => ({ ...arrival, receiver: first + arrival.receiver }));
    }));
    return taken.flat();
  }

  async stop(): Promise<void> {
    await Promise.all(this.#processes.map((process) => process.stop()));
  }

  async #verifyWith(receiver: number, secret: string | undefined): Promise<void> {
    await Promise.all(this.#each(async (process, first) => {
      const at = receiver - first;
      if (at >= 0 && at < process.urls.length) await process.ask({ receiver: at, secret });
    }));
  }

  #each<T>(act: (process: Process, first: number) => T): T[] {
    let first = 0;
    return this.#processes.map((process) => {
      const from = first;
      first += process.urls.length;
      return act(process, from);
    });
  }
}

interface Process extends Pick<ChildProgram, "stop"> {
  readonly urls: readonly string[];
  ask<T>(task: Task): Promise<T>;
}

async function start(count: number, certificate: ServerCertificate): Promise<Process> {
  const { ask, stop } = startProgram(new URL("./receivers_process.ts", import.meta.url));
  const urls = await ask<string[]>({ open: { count, certificate } } satisfies Task);
  return { urls, ask, stop };
}

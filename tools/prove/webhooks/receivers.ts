import type { ServerCertificate } from "@gold-partner/dev";
import { type ChildProgram, startProgram } from "../../testing/child_program.ts";
import type { Deployment } from "../stage/deployment.ts";
import type { Behaviour } from "./behaviour.ts";
import type { Arrival, Task } from "./receivers_process.ts";

/**
 * The receivers of all partners, outside the delivering processes. The first half runs in one process and the
 * second half in another, so that failing receivers in the second half take no processor time from the first.
 */
export class Receivers {
  readonly urls: readonly string[];
  readonly #processes: readonly Process[];

  private constructor(processes: readonly Process[]) {
    this.#processes = processes;
    this.urls = processes.flatMap(({ urls }) => urls);
  }

  /** Opens a receiver for each partner of the deployment, and sets it as the partner's endpoint. */
  static async open(deployment: Deployment): Promise<Receivers> {
    const { traders, receiverCertificate } = deployment;
    const secrets = traders.map(({ credentials }) => credentials.webhook_secret);
    const half = Math.ceil(secrets.length / 2);
    const shares = [secrets.slice(0, half), secrets.slice(half)];
    const receivers = new Receivers(
      await Promise.all(shares.map((share) => start(share, receiverCertificate))),
    );
    deployment.onStop(() => receivers.stop());
    for (const [index, { clientId }] of traders.entries()) {
      await deployment.operator("partner set", clientId, "--webhook", receivers.urls[index]!);
    }
    return receivers;
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

async function start(secrets: readonly string[], certificate: ServerCertificate): Promise<Process> {
  const { ask, stop } = startProgram(new URL("./receivers_process.ts", import.meta.url));
  const urls = await ask<string[]>({ open: { secrets, certificate } } satisfies Task);
  return { urls, ask, stop };
}

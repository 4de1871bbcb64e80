import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import type { StandingPrice } from "./price_source.ts";

type Answer = (reply: ServerResponse, request: IncomingMessage) => void;

/** A real HTTP server on this machine. A test sets its answer with `says`. */
export interface TestFeed {
  readonly url: string;
  readonly requestCount: () => number;
  says(answer: Answer | string): void;
  stop(): Promise<void>;
}

export async function testFeed(): Promise<TestFeed> {
  let [answer, requests]: [Answer, number] = [(reply) => reply.end(), 0];
  const server = createServer((request, reply) => {
    requests++;
    answer(reply, request);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/gold`,
    requestCount: () => requests,
    says: (what) => void (answer = typeof what === "string" ? (reply) => reply.end(what) : what),
    async stop() {
      const closed = new Promise((resolve) => server.close(resolve));
      server.closeAllConnections();
      await closed;
    },
  };
}

/** A current price of 320 SAR per gram that is one minute old. */
export function standingAt(url: string | null, changes: Partial<StandingPrice> = {}): StandingPrice {
  return {
    source: "http",
    url,
    midPips: 3_200_000n,
    spreadBasisPoints: 60n,
    asOf: new Date(Date.now() - 60_000),
    ...changes,
  };
}

// The partners' receivers: they answer 200 at once and count the posts. They run in their own process, so
// that their CPU time does not count for any contender.
import { once } from "node:events";
import { createServer, type Server } from "node:https";
import type { AddressInfo } from "node:net";
import { takeTasks } from "../../testing/child_program.ts";

export type ReceiversTask =
  | { readonly open: { readonly count: number; readonly cert: string; readonly key: string } }
  /** The reply comes after this many posts that no earlier `expect` counted. */
  | { readonly expect: number };

export interface Opened {
  readonly ports: readonly number[];
}

let received = 0;
let arrived = () => {};

async function openReceiver(identity: { cert: string; key: string }): Promise<number> {
  // Set no timeout, so that a connection stays open while it is idle between two turns.
  const server: Server = createServer({ ...identity, keepAliveTimeout: 0 }, (request, response) => {
    request.resume().once("end", () => {
      response.writeHead(200, { "content-length": 0 }).end();
      received++;
      arrived();
    });
  });
  await once(server.listen(0, "127.0.0.1"), "listening");
  return (server.address() as AddressInfo).port;
}

function expectPosts(count: number): Promise<void> {
  return new Promise((resolve) => {
    arrived = () => {
      if (received < count) return;
      received -= count;
      arrived = () => {};
      resolve();
    };
    arrived();
  });
}

await takeTasks<ReceiversTask>(async (task) => {
  if ("expect" in task) {
    await expectPosts(task.expect);
    return {};
  }
  const { count, ...identity } = task.open;
  return {
    ports: await Promise.all(Array.from({ length: count }, () => openReceiver(identity))),
  } satisfies Opened;
});

import { setTimeout as sleep } from "node:timers/promises";
import { createTestAuthority } from "../../../testing/certificates.ts";
import { type Receiver, startReceiver } from "./receiver_fixture.ts";
import { type Attempt, createSender, type Sender, type SenderOptions } from "./sender.ts";

/** One CA for all tests. The sender trusts its certificates at loopback addresses. */
export const authority = createTestAuthority();

export const HOST = "hooks.example";
export const HEADERS = {
  "webhook-id": "evt_1",
  "webhook-timestamp": "1700000000",
  "webhook-signature": "v1,eA==",
};
export const RULES = { loopbackReceivers: true, ports: [443, 8443] };

export interface TestSender {
  readonly receiver: Receiver;
  readonly sender: Sender;
  /** Sends to the receiver by its host name. */
  post(path?: string, body?: string): Promise<Attempt>;
  stop(): Promise<void>;
}

/**
 * Starts a sender and a receiver on this machine. The sender resolves every name to the receiver's address.
 */
export async function testSender(options: Partial<SenderOptions> = {}): Promise<TestSender> {
  const receiver = await startReceiver(authority.issue([HOST, "127.0.0.1"]));
  const sender = createSender({
    rules: () => RULES,
    ca: authority.ca,
    resolve: () => Promise.resolve(["127.0.0.1"]),
    nowMs: Date.now,
    ...options,
  });
  return {
    receiver,
    sender,
    post: (path = "/hooks", body = "{}") =>
      sender.post(`https://${HOST}:${receiver.port}${path}`, HEADERS, body),
    async stop() {
      sender.stop();
      await receiver.stop();
    },
  };
}

/**
 * Waits until `holds` returns true, for example until a connection has ended. Returns false if that takes too
 * long.
 */
export async function until(holds: () => boolean, timeoutMs = 30_000): Promise<boolean> {
  for (const endMs = performance.now() + timeoutMs; !holds(); await sleep(5)) {
    if (performance.now() > endMs) return false;
  }
  return true;
}

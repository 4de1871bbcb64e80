// Webhook receivers in a separate process.
import { createHash } from "node:crypto";
import type { ServerCertificate } from "@gold-partner/dev";
import { type Delivery, testReceiver } from "@gold-partner/server/testing";
import { takeTasks } from "../../testing/child_program.ts";
import { findFault } from "../stage/standard_webhooks_fixture.ts";
import { type Answer, answerTo, type Behaviour } from "./behaviour.ts";

export type Task =
  /** Opens one receiver for each secret. The answer is the receivers' URLs. */
  | { readonly open: { readonly secrets: readonly string[]; readonly certificate: ServerCertificate } }
  /** Sets how each receiver behaves from now on. */
  | { readonly behaviours: readonly Behaviour[] }
  /** Asks for the deliveries since the previous such command. */
  | { readonly take: true };

/** One delivery, and how it was answered. */
export interface Arrival {
  /**
   * The index of the receiver among the receivers of this process. Receivers.take() changes it to the index
   * among all receivers.
   */
  readonly receiver: number;
  readonly id: string;
  readonly sequence: number;
  /** The order that the event is about, if there is one. */
  readonly order?: string;
  readonly createdMs: number;
  readonly arrivedMs: number;
  /** SHA-256 of the body's bytes. */
  readonly digest: string;
  readonly way: Answer["way"];
  readonly accepted: boolean;
  /** What is wrong with the delivery's id or signature. Absent if nothing is wrong. */
  readonly fault?: string;
}

let behaviours: readonly Behaviour[] = [];
const arrivals: Arrival[] = [];

async function open({ secrets, certificate }: Extract<Task, { open: unknown }>["open"]): Promise<string[]> {
  behaviours = secrets.map(() => "well");
  return await Promise.all(secrets.map(async (secret, index) => {
    const receiver = await testReceiver({ certificate });
    receiver.answer((delivery) => {
      const arrivedMs = Date.now();
      const { answer, ...facts } = answerTo(behaviours[index]!, delivery);
      receiver.deliveries.length = 0;
      arrivals.push({ receiver: index, arrivedMs, ...read(delivery, secret), ...facts });
      return answer;
    });
    return receiver.url;
  }));
}

function read({ id, body, headers }: Delivery, secret: string) {
  const event = JSON.parse(body) as {
    readonly id: string;
    readonly sequence: number;
    readonly created_at: string;
    readonly data: { readonly order?: { readonly order_id: string } };
  };
  const { sequence, created_at, data: { order } } = event;
  const foreign = event.id === id ? undefined : `webhook-id is ${id} but the event's id is ${event.id}`;
  const fault = foreign ?? findFault(secret, body, headers);
  return {
    id,
    sequence,
    ...(order && { order: order.order_id }),
    createdMs: Date.parse(created_at),
    digest: createHash("sha256").update(body).digest("base64"),
    ...(fault !== undefined && { fault }),
  };
}

await takeTasks<Task>(async (task) => {
  if ("open" in task) return await open(task.open);
  if ("behaviours" in task) behaviours = task.behaviours;
  return "take" in task ? arrivals.splice(0) : {};
});

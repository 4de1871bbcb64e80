// Webhook receivers in a separate process.
import { createHash } from "node:crypto";
import type { ServerCertificate } from "@gold-partner/dev";
import { type Delivery, type TestReceiver, testReceiver } from "@gold-partner/server/testing";
import { takeTasks } from "../../testing/child_program.ts";
import { findFault } from "../stage/standard_webhooks_fixture.ts";
import { type Answer, answerTo, type Behaviour } from "./behaviour.ts";

export type Task =
  /** Opens receivers. The answer is their URLs. */
  | { readonly open: { readonly count: number; readonly certificate: ServerCertificate } }
  /** Sets the secret with which a receiver verifies deliveries. Without one, it cuts them. */
  | { readonly receiver: number; readonly secret: string | undefined }
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
  /** SHA-256 of the body's bytes without `previous_sequence` and `client_id`. */
  readonly digest: string;
  /** Absent if the body does not end with `previous_sequence` and `client_id`. */
  readonly previous?: number | null;
  readonly way: Answer["way"];
  readonly accepted: boolean;
  /** What is wrong with the delivery's id or signature. Absent if nothing is wrong. */
  readonly fault?: string;
}

interface Place {
  readonly port: number;
  /** Absent while the receiver refuses connections. */
  receiver?: TestReceiver;
  /** Undefined while the receiver belongs to no endpoint. A new endpoint's secret is known after its first event. */
  secret: string | undefined;
  behaviour: Behaviour;
}

const ADDED = /,"previous_sequence":(null|[0-9]+),"client_id":"\w+"\}$/;
const places: Place[] = [];
const arrivals: Arrival[] = [];
let certificate: ServerCertificate;

async function open(count: number): Promise<string[]> {
  return await Promise.all(Array.from({ length: count }, async (_, index) => {
    const receiver = await testReceiver({ certificate });
    places[index] = { port: receiver.port, receiver, secret: undefined, behaviour: "well" };
    listen(index, receiver);
    return receiver.url;
  }));
}

function listen(index: number, receiver: TestReceiver): void {
  const place = places[index]!;
  receiver.answer((delivery) => {
    const arrivedMs = Date.now();
    receiver.deliveries.length = 0;
    const { secret, behaviour } = place;
    // A receiver that begins to refuse connections may still get a delivery over an open connection.
    if (secret === undefined || behaviour === "refuses") return "cut";
    const { answer, ...facts } = answerTo(behaviour, delivery);
    arrivals.push({ receiver: index, arrivedMs, ...read(delivery, secret), ...facts });
    return answer;
  });
}

/** Closes the port of a receiver that refuses connections from now on, and opens it again afterwards. */
async function behave(index: number, behaviour: Behaviour): Promise<void> {
  const place = places[index]!;
  place.behaviour = behaviour;
  if (behaviour === "refuses") {
    await place.receiver?.stop();
    delete place.receiver;
  } else if (!place.receiver) {
    place.receiver = await testReceiver({ certificate, port: place.port });
    listen(index, place.receiver);
  }
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
  const previous = ADDED.exec(body)?.[1];
  return {
    id,
    sequence,
    ...(order && { order: order.order_id }),
    createdMs: Date.parse(created_at),
    digest: createHash("sha256").update(body.replace(ADDED, "}")).digest("base64"),
    ...(previous !== undefined && { previous: JSON.parse(previous) as number | null }),
    ...(fault !== undefined && { fault }),
  };
}

await takeTasks<Task>(async (task) => {
  if ("open" in task) {
    certificate = task.open.certificate;
    return await open(task.open.count);
  }
  if ("receiver" in task) places[task.receiver]!.secret = task.secret;
  if ("behaviours" in task) await Promise.all(task.behaviours.map((one, index) => behave(index, one)));
  return "take" in task ? arrivals.splice(0) : {};
});

import { once } from "node:events";
import type { IncomingHttpHeaders, IncomingMessage, OutgoingHttpHeaders, ServerResponse } from "node:http";
import { createServer } from "node:https";
import type { AddressInfo, Socket } from "node:net";
import { Readable } from "node:stream";
import { newServerAuthority, type ServerCertificate } from "../authorities.ts";

/** What came in, as it came. */
export interface Delivery {
  /** `webhook-id`: the event's. */
  readonly id: string;
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
  /** By `performance.now()`, when its last byte was there. */
  readonly receivedMs: number;
}

/** A status; all of an answer; no answer at all; or the connection's end in place of one. */
export type DeliveryAnswer =
  | number
  | {
    readonly status: number;
    readonly headers?: OutgoingHttpHeaders;
    /** In parts where it is long: the next one is written when the one before is on its way. */
    readonly body?: string | Iterable<Uint8Array>;
    readonly delayMs?: number;
    /** Its connection ends amid the body. */
    readonly cut?: boolean;
  }
  | "hang"
  | "cut";

export interface TrialReceiver {
  readonly url: string;
  readonly port: number;
  /** In the order in which they came; who counts many may empty it. */
  readonly deliveries: Delivery[];
  /** From now on it answers so; 204 until told otherwise. */
  answer(how: DeliveryAnswer | ((delivery: Delivery) => DeliveryAnswer | Promise<DeliveryAnswer>)): void;
  /** The deliveries, once there are so many; throws with what is there when the time is over. */
  awaitDeliveries(count: number, patienceMs?: number): Promise<Delivery[]>;
  /** How many connections it accepted. */
  connections(): number;
  stop(): Promise<void>;
}

export interface ReceiverOptions {
  /** 0 takes any that is free. */
  readonly port?: number;
  /** For `localhost`, of an authority that the service trusts; all trial receivers' own unless given. */
  readonly certificate?: ServerCertificate;
}

const PATIENCE_MS = 30_000;

/** One authority and one certificate serve every receiver of a process: making keys costs more than listening. */
let own: Promise<ServerCertificate & { readonly ca: string }> | undefined;

/** The certificate of trial receivers, and the authority to trust for it (WEBHOOK_CA). */
export function trialCertificate(): Promise<ServerCertificate & { readonly ca: string }> {
  return own ??= newServerAuthority().then(async ({ ca, issue }) => ({ ca, ...await issue() }));
}

/** A partner's webhook receiver on this machine: https, every delivery recorded, answers as a test wants them. */
export async function trialReceiver(
  { port: wanted = 0, certificate }: ReceiverOptions = {},
): Promise<TrialReceiver> {
  const { cert, key } = certificate ?? await trialCertificate();
  const deliveries: Delivery[] = [];
  const waiting = new Set<() => void>();
  const sockets = new Set<Socket>();
  let accepted = 0;
  let decide: (delivery: Delivery) => DeliveryAnswer | Promise<DeliveryAnswer> = () => 204;
  const server = createServer({ cert, key }, (request, response) => {
    // A sender that gives up in the middle has delivered nothing.
    receive(request).then(async (delivery) => {
      deliveries.push(delivery);
      for (const wake of waiting) wake();
      respond(response, await decide(delivery));
    }, () => {});
  });
  server.on("connection", (socket: Socket) => {
    accepted++;
    sockets.add(socket);
    socket.once("close", () => sockets.delete(socket));
  });
  server.listen(wanted, "127.0.0.1");
  await once(server, "listening");
  // A test that fails before it stops the receiver must not keep its file from ending.
  server.unref();
  const { port } = server.address() as AddressInfo;
  return {
    url: `https://localhost:${port}/webhooks`,
    port,
    deliveries,
    answer: (how) => void (decide = typeof how === "function" ? how : () => how),
    awaitDeliveries: (count, patienceMs = PATIENCE_MS) =>
      new Promise((resolve, reject) => {
        const settle = () => {
          if (deliveries.length < count) return;
          waiting.delete(settle);
          clearTimeout(timer);
          resolve([...deliveries]);
        };
        const timer = setTimeout(() => {
          waiting.delete(settle);
          const seen = deliveries.map(({ id }) => id).join(", ");
          reject(new Error(`${deliveries.length} of ${count} deliveries came: ${seen || "none"}`));
        }, patienceMs);
        waiting.add(settle);
        settle();
      }),
    connections: () => accepted,
    async stop() {
      const closed = new Promise((resolve) => server.close(resolve));
      for (const socket of sockets) socket.destroy();
      await closed;
    },
  };
}

async function receive(request: IncomingMessage): Promise<Delivery> {
  let body = "";
  request.setEncoding("utf8");
  for await (const part of request) body += part;
  const { url = "", headers } = request;
  return { id: `${headers["webhook-id"]}`, path: url, headers, body, receivedMs: performance.now() };
}

function respond(response: ServerResponse, answer: DeliveryAnswer): void {
  if (answer === "hang") return;
  if (answer === "cut") return void response.socket?.destroy();
  const { status, headers = {}, body = "", delayMs = 0, cut = false } = typeof answer === "number"
    ? { status: answer }
    : answer;
  const send = () => {
    response.writeHead(status, headers);
    if (cut) response.write(" ", () => response.socket?.destroy());
    else if (typeof body === "string") response.end(body);
    else Readable.from(body).pipe(response);
  };
  if (delayMs > 0) setTimeout(send, delayMs);
  else send();
}

import { once } from "node:events";
import type { IncomingHttpHeaders, IncomingMessage, OutgoingHttpHeaders, ServerResponse } from "node:http";
import { createServer } from "node:https";
import type { AddressInfo, Socket } from "node:net";
import { Readable } from "node:stream";
import { createTestAuthority, type Issued } from "./certificates.ts";

/** A delivery as it arrived. */
export interface Delivery {
  /** The header `webhook-id`, which is the event's id. */
  readonly id: string;
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
  /** When the last byte arrived, by `performance.now()`. */
  readonly receivedMs: number;
}

/**
 * How the receiver answers: with a status, with a full reply, not at all (`hang`), or by closing the
 * connection (`cut`).
 */
export type DeliveryAnswer =
  | number
  | {
    readonly status: number;
    readonly headers?: OutgoingHttpHeaders;
    /** A long body may be given in parts. Each part is written after the previous one was sent. */
    readonly body?: string | Iterable<Uint8Array>;
    readonly delayMs?: number;
    /** Closes the connection in the middle of the body. */
    readonly cut?: boolean;
  }
  | "hang"
  | "cut";

export interface TestReceiver {
  readonly url: string;
  readonly port: number;
  /** In order of arrival. A test that receives many deliveries may empty the list. */
  readonly deliveries: Delivery[];
  /** Sets how the receiver answers from now on. Default: 204. */
  answer(how: DeliveryAnswer | ((delivery: Delivery) => DeliveryAnswer | Promise<DeliveryAnswer>)): void;
  /**
   * Returns the deliveries once at least `count` have arrived. Rejects after `timeoutMs`, and lists the
   * deliveries so far.
   */
  awaitDeliveries(count: number, timeoutMs?: number): Promise<Delivery[]>;
  /** How many connections the receiver accepted. */
  connections(): number;
  stop(): Promise<void>;
}

export interface ReceiverOptions {
  /** 0 selects a free port. */
  readonly port?: number;
  /**
   * A certificate for `localhost` from a CA that the service trusts. Default: the certificate that all these
   * receivers share.
   */
  readonly certificate?: Issued;
}

const TIMEOUT_MS = 30_000;

/** Shared by all receivers of a process, because creating keys takes longer than listening. */
let own: Issued & { readonly ca: string } | undefined;

/** Returns the receivers' certificate, and the CA that a service must trust for it (WEBHOOK_CA). */
export function testCertificate(): Issued & { readonly ca: string } {
  if (!own) {
    const { ca, issue } = createTestAuthority();
    own = { ca, ...issue(["localhost", "127.0.0.1", "::1"]) };
  }
  return own;
}

/**
 * Starts a partner's webhook receiver on this machine. It speaks HTTPS, records every delivery and answers as
 * the test sets it.
 */
export async function testReceiver(
  { port: wanted = 0, certificate }: ReceiverOptions = {},
): Promise<TestReceiver> {
  const { cert, key } = certificate ?? testCertificate();
  const deliveries: Delivery[] = [];
  const waiting = new Set<() => void>();
  const sockets = new Set<Socket>();
  let accepted = 0;
  let decide: (delivery: Delivery) => DeliveryAnswer | Promise<DeliveryAnswer> = () => 204;
  const server = createServer({ cert, key }, (request, response) => {
    // Record nothing if the sender disconnects in the middle, because it has delivered nothing.
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
  // Let the test file end even if a failed test did not stop this receiver.
  server.unref();
  const { port } = server.address() as AddressInfo;
  return {
    url: `https://localhost:${port}/webhooks`,
    port,
    deliveries,
    answer: (how) => void (decide = typeof how === "function" ? how : () => how),
    awaitDeliveries: (count, timeoutMs = TIMEOUT_MS) =>
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
          reject(new Error(`${deliveries.length} of ${count} deliveries arrived: ${seen || "none"}`));
        }, timeoutMs);
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

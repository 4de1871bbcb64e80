import { Buffer } from "node:buffer";
import type { IncomingMessage } from "node:http";
import { request } from "node:https";
import type { Destination } from "../../http/outbound/destination.ts";
import type { PinnedAgent, PinnedOptions } from "../../http/outbound/pinned_agent.ts";
import { SendError } from "../../http/outbound/send_error.ts";

interface Exchange {
  readonly destination: Destination;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  /** The answer's head must arrive within this many milliseconds. */
  readonly deadlineMs: number;
}

/** `keeping` reuses connections. `fresh` opens a new connection for each request. */
interface Agents {
  readonly keeping: PinnedAgent;
  readonly fresh: PinnedAgent;
}

/** How many 1xx answers to one request are accepted. More of them make the answer invalid. */
const INTERIMS_MAX = 8;

/** Sends one request and returns the head of its answer; rejects with a SendError. */
export async function exchange(order: Exchange, { keeping, fresh }: Agents): Promise<IncomingMessage> {
  const startedMs = performance.now();
  try {
    return await exchangeOver(keeping, order);
  } catch (error) {
    if (!(error instanceof StaleConnection)) throw error;
    const deadlineMs = order.deadlineMs - (performance.now() - startedMs);
    return await exchangeOver(fresh, { ...order, deadlineMs });
  }
}

/**
 * The receiver closed an idle connection just when it was reused. The caller sends the request again on a new
 * connection. That is safe, because a receiver recognizes a repeated event by its id.
 */
class StaleConnection extends SendError {}

function exchangeOver(agent: PinnedAgent, order: Exchange): Promise<IncomingMessage> {
  const { destination, headers, body, deadlineMs } = order;
  return new Promise((resolve, reject) => {
    const options: PinnedOptions = {
      agent,
      destination,
      method: "POST",
      path: destination.path,
      setHost: false,
      servername: "",
      headers: {
        "Host": destination.host,
        "User-Agent": "gold-webhooks/1",
        "Content-Type": "application/json",
        "Content-Length": Buffer.byteLength(body),
        // Spread last, because an object literal that begins with a spread is slower than the rest of this
        // function.
        ...headers,
      },
    };
    const sent = request(options);
    const timer = setTimeout(() => {
      // Reject before destroying the request, because a request that still waits for a connection reports its
      // end only after it gets one.
      reject(new SendError("timeout"));
      sent.destroy();
    }, deadlineMs);
    let interims = 0;
    sent.on("information", () => {
      if (++interims <= INTERIMS_MAX) return;
      reject(new SendError("answer_invalid"));
      sent.destroy();
    });
    sent.on("upgrade", (_, socket) => {
      clearTimeout(timer);
      reject(new SendError("answer_invalid"));
      socket.destroy();
    });
    sent.on("error", (error) => {
      clearTimeout(timer);
      const code = codeOf(error);
      reject(code === "reset" && sent.reusedSocket ? new StaleConnection(code) : new SendError(code));
    });
    sent.on("response", (response) => {
      clearTimeout(timer);
      if (isStatus(response.statusCode)) return resolve(response);
      reject(new SendError("answer_invalid"));
      sent.destroy();
    });
    sent.end(body);
  });
}

/** Checks the range, because Node's HTTP parser accepts any three digits. */
const isStatus = (code = 0) => code >= 100 && code <= 599;

function codeOf(error: Error): SendError["code"] {
  if (error instanceof SendError) return error.code;
  const { code = "" } = error as NodeJS.ErrnoException;
  if (code.startsWith("HPE_")) return "answer_invalid";
  return code.startsWith("ERR_SSL") || code === "EPROTO" ? "tls_failed" : "reset";
}

import { once } from "node:events";
import type { AddressInfo } from "node:net";
import { connect } from "node:net";
import type { Duplex } from "node:stream";
import { createMetrics } from "../operations/metrics.ts";
import { createWireServer } from "./wire_server.ts";

/** What the tests need to write whatever is no request, and to read whatever comes back. */

export interface Patience {
  /** For the first byte of an answer. */
  readonly silenceMs: number;
  /** For more of it, or for another answer. */
  readonly quietMs: number;
}

const PATIENCE: Patience = { silenceMs: 30_000, quietMs: 30_000 };

/**
 * Writes the text, one byte a character, and returns all that comes back until the connection ends, stays silent, or is
 * quiet again after an answer.
 */
export async function sendBytes(
  socket: Duplex,
  text: string,
  { silenceMs, quietMs }: Patience = PATIENCE,
): Promise<string> {
  let received = "";
  let timer = setTimeout(() => socket.destroy(), silenceMs);
  socket.setEncoding("latin1").on("error", () => {}).on("data", (part) => {
    received += part;
    clearTimeout(timer);
    timer = setTimeout(() => socket.destroy(), quietMs);
  });
  socket.write(text, "latin1");
  if (!socket.destroyed) await once(socket, "close");
  clearTimeout(timer);
  return received;
}

/** `200`, `400 invalid_request`: one for each reply that came, in their order. */
export function verdictsOf(received: string): string[] {
  return received.split(/(?=HTTP\/1\.1 \d{3} )/).filter((reply) => reply !== "").map((reply) => {
    const code = /"code":"([a-z_]+)"/.exec(reply)?.[1];
    return reply.slice(9, 12) + (code ? ` ${code}` : "");
  });
}

interface TrialWire {
  readonly port: number;
  /** The codes of what was refused before the app. */
  readonly refused: string[];
  send(text: string): Promise<string[]>;
  stop(): Promise<void>;
}

/** A wire server over an app of the test's own. */
export async function startWire(
  answer: (request: Request) => Promise<Response>,
  patienceMs: number,
): Promise<TrialWire> {
  const refused: string[] = [];
  const server = createWireServer({
    fetch: (request) => answer(request as Request),
    log: (_level, _event, { code } = {}) => code && refused.push(code),
    metrics: createMetrics(),
    newRequestId: () => "req_trial",
    patienceMs,
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  return {
    port,
    refused,
    send: async (text) => verdictsOf(await sendBytes(connect(port, "127.0.0.1"), text)),
    stop: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

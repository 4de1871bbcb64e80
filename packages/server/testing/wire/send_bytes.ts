import { once } from "node:events";
import type { AddressInfo } from "node:net";
import { connect } from "node:net";
import type { Duplex } from "node:stream";
import { createMetrics } from "../../src/operations/metrics.ts";
import { createPlaces } from "../../src/http/turns/places.ts";
import { createTurns } from "../../src/http/turns/turns.ts";
import { createWireServer } from "../../src/http/wire/wire_server.ts";

/** A fixture that sends any bytes to a server and reads the replies. */

export interface ReadTimeouts {
  /** Time limit for the first byte of an answer. */
  readonly silenceMs: number;
  /** Time limit for each further byte. */
  readonly quietMs: number;
}

const DEFAULT_TIMEOUTS: ReadTimeouts = { silenceMs: 30_000, quietMs: 30_000 };

/**
 * Writes the text, one byte for each character. Returns all received bytes when the connection ends, or when
 * one of the time limits expires.
 */
export async function sendBytes(
  socket: Duplex,
  text: string,
  { silenceMs, quietMs }: ReadTimeouts = DEFAULT_TIMEOUTS,
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

/** Returns a verdict such as `200` or `400 invalid_request` for each reply, in order. */
export function verdictsOf(received: string): string[] {
  return received.split(/(?=HTTP\/1\.1 \d{3} )/).filter((reply) => reply !== "").map((reply) => {
    const code = /"code":"([a-z_]+)"/.exec(reply)?.[1];
    return reply.slice(9, 12) + (code ? ` ${code}` : "");
  });
}

interface TestWire {
  readonly port: number;
  /** The codes of the requests that were refused before the app saw them. */
  readonly refused: string[];
  send(text: string): Promise<string[]>;
  stop(): Promise<void>;
}

/** Starts a wire server in front of the test's own app. */
export async function startWire(
  answer: (request: Request) => Promise<Response>,
  timeoutMs: number,
  lingerMs?: number,
  /** By default each refusal is logged, because the tests compare them all. */
  getsLine = () => true,
): Promise<TestWire> {
  const refused: string[] = [];
  const server = createWireServer({
    fetch: (request) => answer(request as Request),
    log: (_level, _event, { code } = {}) => code && refused.push(code),
    refusalLines: { getsLine, stop: () => {} },
    metrics: createMetrics(),
    turns: createTurns(createPlaces(), () => performance.now()),
    recognize: () => ({ line: "" }),
    newRequestId: () => "req_fixture",
    timeoutMs,
    lingerMs,
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

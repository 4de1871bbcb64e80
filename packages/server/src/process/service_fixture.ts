import { once } from "node:events";
import { connect, type Socket } from "node:net";
import type { ListenAddress } from "../settings/config.ts";

// Fixtures that send the exact text of a request.

export interface RawReply {
  readonly status: number;
  readonly head: string;
  readonly body: string;
}

export function openSocket(address: ListenAddress): Socket {
  return address.kind === "unix" ? connect(address.path) : connect(address.port, address.host);
}

/** Writes the lines unchanged, and returns the one reply that arrives before the connection ends. */
export async function sendRaw(
  address: ListenAddress,
  lines: readonly string[],
  body: string = "",
): Promise<RawReply> {
  const socket = openSocket(address);
  let text = "";
  socket.setEncoding("utf8").on("data", (part) => text += part).on("error", () => {});
  await once(socket, "connect");
  socket.write([...lines, "Connection: close", "", body].join("\r\n"));
  const timer = setTimeout(() => socket.destroy(), 30_000);
  await once(socket, "close");
  clearTimeout(timer);
  return readReply(text);
}

export function readReply(text: string): RawReply {
  const [head = "", ...rest] = text.split("\r\n\r\n");
  return { status: Number(head.split(" ")[1]), head, body: rest.join("\r\n\r\n") };
}

/**
 * The status and the problem code of a raw reply. Searches the text instead of parsing it, because a body may
 * come in chunks.
 */
export function codeOf({ status, body }: RawReply): string {
  return `${status} ${/"code":"([a-z_]+)"/.exec(body)?.[1] ?? body}`;
}

import type { TLSSocket } from "node:tls";

/** Reads what a server answered to the raw bytes of a test. */

export interface Answer {
  readonly status: number;
  /** The status line and the headers, in lower case. */
  readonly head: string;
  readonly body: string;
}

/** Reads until the connection ends. Each character of the text is one byte. */
export async function readToEnd(socket: TLSSocket): Promise<string> {
  let received = "";
  socket.setEncoding("latin1");
  for await (const part of socket) received += part;
  return received;
}

export function readAnswer(received: string): Answer {
  const end = received.indexOf("\r\n\r\n");
  const head = received.slice(0, end).toLowerCase();
  return { status: Number(head.split(" ")[1]), head, body: received.slice(end + 4) };
}

/** Returns every value of one header of a received request. `name` must be in lower case. */
export function valuesOf({ rawHeaders }: { readonly rawHeaders: readonly string[] }, name: string): string[] {
  return rawHeaders.filter((_, at) => at % 2 === 1 && rawHeaders[at - 1]!.toLowerCase() === name);
}

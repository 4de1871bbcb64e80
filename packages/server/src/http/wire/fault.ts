import type { IncomingMessage } from "node:http";

/** A host name or an address, and optionally a port. */
const HOST_FORM = /^(?:[A-Za-z0-9._~-]+|\[[0-9A-Fa-f:.]+\])(?::[0-9]{1,5})?$/;

/**
 * Returns the reason for refusing a request, or undefined. Every refused request passes Node's parser, but
 * another parser could read it differently.
 */
export function findFault(
  { httpVersion, rawHeaders }: Pick<IncomingMessage, "httpVersion" | "rawHeaders">,
): string | undefined {
  if (httpVersion !== "1.1" && httpVersion !== "1.0") return "The HTTP version must be 1.1.";
  const host = valuesOf("host", rawHeaders);
  if (host.length !== 1 || !HOST_FORM.test(host[0]!)) {
    return "A request must have exactly one Host header, with a host and optionally a port.";
  }
  const coding = valuesOf("transfer-encoding", rawHeaders);
  if (coding.length > 0 && (httpVersion === "1.0" || coding.join().toLowerCase() !== "chunked")) {
    return "Transfer-Encoding must be chunked, and only HTTP/1.1 allows it.";
  }
  const expect = valuesOf("expect", rawHeaders);
  if (expect.length > 0 && expect.join().toLowerCase() !== "100-continue") {
    return "Expect must be 100-continue.";
  }
  return undefined;
}

/** Returns the values of a header. Compares lengths first, because that is faster for most headers. */
function valuesOf(name: string, rawHeaders: readonly string[]): string[] {
  const values: string[] = [];
  for (let at = 0; at + 1 < rawHeaders.length; at += 2) {
    const sent = rawHeaders[at]!;
    if (sent.length === name.length && sent.toLowerCase() === name) values.push(rawHeaders[at + 1]!);
  }
  return values;
}

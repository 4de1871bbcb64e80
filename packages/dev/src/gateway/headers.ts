/** A flat list of names and values as they stood on the wire: name, value, name, value. */
type RawHeaders = readonly string[];

/** Headers that only the gateway may set, because the service trusts them. */
const GATEWAYS_OWN = /^(x-forwarded-.*|x-envoy-.*|x-client-ip|x-real-ip|x-gold-proxy-secret)$/;

/** Headers that concern one connection, not the message (RFC 9110, 7.6.1). */
const HOP_BY_HOP = new Set([
  "connection",
  "keep-alive",
  "proxy-authenticate",
  "proxy-authorization",
  "proxy-connection",
  "te",
  "trailer",
  "transfer-encoding",
  "upgrade",
]);

/**
 * The gateway removes the headers that a `Connection` header names, except these two: the service needs them
 * to find the end of the message and its host.
 */
const NEVER_NAMED = new Set(["content-length", "host"]);
/** Headers of a reply that are for the proxy alone. */
const FOR_PROXY = /^x-gold-(?:counted|pace)$/;

/**
 * Returns the headers for the service: the client's headers in their order, then `vouched`, the headers that
 * the gateway itself adds.
 */
export function requestHeaders(received: RawHeaders, vouched: Record<string, string>): string[] {
  // Drop `expect`: the gateway has already answered `Expect: 100-continue` itself.
  const kept = endToEnd(received, (name) => GATEWAYS_OWN.test(name) || name === "expect");
  const isChunked = valuesOf(received, "transfer-encoding").length > 0;
  const hasLength = valuesOf(received, "content-length").length > 0;
  // Set the framing explicitly, because http.request would otherwise guess it from the method.
  const framing = isChunked ? ["transfer-encoding", "chunked"] : hasLength ? [] : ["content-length", "0"];
  return [...kept, ...framing, ...Object.entries(vouched).flat()];
}

/**
 * Returns the headers for the client. Their names are in lower case, as Envoy writes them. The client does not get
 * the headers that tell Envoy what to log and what to refuse.
 */
export function responseHeaders(received: RawHeaders): string[] {
  return endToEnd(received, (name) => FOR_PROXY.test(name)).map((text, index) =>
    index % 2 === 0 ? text.toLowerCase() : text
  );
}

/** Returns true if the request has a body. Only its framing decides that. */
export function hasBody(received: RawHeaders): boolean {
  return valuesOf(received, "content-length").length > 0 ||
    valuesOf(received, "transfer-encoding").length > 0;
}

function endToEnd(received: RawHeaders, isRefused: (name: string) => boolean): string[] {
  const named = valuesOf(received, "connection").flatMap((value) => value.toLowerCase().split(","))
    .map((name) => name.trim()).filter((name) => !NEVER_NAMED.has(name));
  const kept: string[] = [];
  for (const [name, value] of pairs(received)) {
    const key = name.toLowerCase();
    if (!HOP_BY_HOP.has(key) && !named.includes(key) && !isRefused(key)) kept.push(name, value);
  }
  return kept;
}

function valuesOf(received: RawHeaders, wanted: string): string[] {
  return [...pairs(received)].filter(([name]) => name.toLowerCase() === wanted).map(([, value]) => value);
}

function* pairs(received: RawHeaders): Generator<[string, string]> {
  for (let i = 0; i + 1 < received.length; i += 2) yield [received[i]!, received[i + 1]!];
}

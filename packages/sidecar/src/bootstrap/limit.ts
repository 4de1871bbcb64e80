import { BODY_MAX_BYTES } from "@gold-partner/protocol";

/**
 * Envoy's limits. Each applies to one request, one connection or the whole Envoy process. The service
 * enforces its own limits behind these.
 */
export const LIMIT = {
  headersKib: 16,
  headers: 100,
  bodyBytes: BODY_MAX_BYTES,
  streams: 100,
  streamWindowBytes: 65_536,
  connectionWindowBytes: 1_048_576,
  connectionBufferBytes: 65_536,
  /** Envoy closes a connection on which the client has reset this many streams right after it opened them. */
  prematureResets: 200,
  heapBytes: 1_073_741_824,
  /** How many certificates have a token bucket at once. A new bucket replaces the least recently used one. */
  certificates: 10_000,
  /** Lines per second in the access log for Envoy's own refusals, about 50 kB. */
  ownRefusalLines: 100,
  /**
   * For each process of the service. It holds a partner's 256 waiting and up to 128 running requests, so one
   * partner leaves connections for others. A socket accepts 511 connections at once.
   */
  upstreamConnections: 512,
  upstreamWaiting: 512,
  /** Open streams for each process of the service. */
  upstreamStreams: 2000,
} as const;

/** Timeouts of Envoy. */
export const TIMEOUT = {
  /** From the connection to the end of the TLS handshake. */
  handshake: "3s",
  headers: "10s",
  /** To receive the whole request. The service has the same timeout. */
  request: "15s",
  /**
   * Envoy ends a request when no data was sent or received for this time. It is longer than the service's own
   * timeouts, so the service replies first.
   */
  silence: "30s",
  /** For a request and its whole reply. This time is long because an account statement can be large. */
  exchange: "600s",
  /** The service ends a stream after 600 s. */
  stream: "620s",
  idle: "300s",
  /** Maximum age of a connection. The partner must then reconnect and prove its certificate again. */
  connection: "900s",
  connect: "1s",
  /**
   * Less than the time that the service waits for a connection's first request (15 s) or next request (75 s),
   * so that Envoy is always the first to close an idle connection. Envoy may open a connection and never use
   * it, because the client disconnects or another connection becomes free first.
   */
  upstreamIdle: "10s",
} as const;

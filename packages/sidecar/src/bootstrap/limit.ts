import { BODY_MAX_BYTES } from "@gold-partner/protocol";

/** What one partner, or one connection, may take; the service's own limits stand behind these. */
export const LIMIT = {
  headersKib: 16,
  headers: 100,
  bodyBytes: BODY_MAX_BYTES,
  streams: 100,
  streamWindowBytes: 65_536,
  connectionWindowBytes: 1_048_576,
  connectionBufferBytes: 65_536,
  /** Streams that a client opened and took back at once, before its connection is closed. */
  prematureResets: 200,
  heapBytes: 1_073_741_824,
  /** Certificates whose rate is known at once; the one longest unheard of makes room. */
  certificates: 10_000,
  upstreamConnections: 512,
  upstreamWaiting: 512,
} as const;

/** How long each may take. */
export const PATIENCE = {
  /** From the connection to the end of the TLS handshake. */
  handshake: "3s",
  headers: "10s",
  /** For the whole request, as in the service. */
  request: "15s",
  /** For a sign of life of a request under way: longer than the service takes to give up by itself. */
  silence: "30s",
  /** For a whole exchange; statements are long. */
  exchange: "600s",
  idle: "300s",
  /** After which a connection proves its certificate anew. */
  connection: "900s",
  connect: "1s",
  /** Below the service's own 75 s: whoever closes an idle connection first must not be the service. */
  upstreamIdle: "30s",
} as const;

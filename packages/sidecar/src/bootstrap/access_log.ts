import type { SidecarConfig } from "../settings.ts";
import { extension, type Message } from "./any.ts";

const STDOUT = "/dev/stdout";
const LOGGERS = "envoy.extensions.access_loggers";

const CONNECTION = {
  time: "%START_TIME%",
  client_ip: "%DOWNSTREAM_REMOTE_ADDRESS_WITHOUT_PORT%",
  certificate_sha256: "%DOWNSTREAM_PEER_FINGERPRINT_256%",
  tls: "%DOWNSTREAM_TLS_VERSION%",
  duration_ms: "%DURATION%",
  flags: "%RESPONSE_FLAGS%",
  connection_id: "%CONNECTION_ID%",
};

/** One line per request. It never contains a header with a secret, a query or a body. */
export const REQUEST_LOG = {
  kind: "request",
  ...CONNECTION,
  request_id: "%RESPONSE_HEADER(X-REQUEST-ID)%",
  method: "%REQUEST_HEADER(:METHOD)%",
  path: "%PATH(NQ):256%",
  protocol: "%PROTOCOL%",
  status: "%RESPONSE_CODE%",
  details: "%RESPONSE_CODE_DETAILS%",
  bytes_received: "%BYTES_RECEIVED%",
  bytes_sent: "%BYTES_SENT%",
  upstream: "%UPSTREAM_HOST%",
  upstream_failure: "%UPSTREAM_TRANSPORT_FAILURE_REASON%",
};

/** One line per connection, because a failed handshake has no request and so no request line. */
export const CONNECTION_LOG = {
  kind: "connection",
  ...CONNECTION,
  cipher: "%DOWNSTREAM_TLS_CIPHER%",
  failure: "%DOWNSTREAM_TRANSPORT_FAILURE_REASON%",
  details: "%CONNECTION_TERMINATION_DETAILS%",
};

export function accessLog({ accessLog: path }: SidecarConfig, members: Message): Message {
  const log_format = { json_format: members };
  // Do not open /dev/stdout by its path: that fails if standard output is a socket, as under systemd.
  if (path === STDOUT) {
    return extension("envoy.access_loggers.stdout", `${LOGGERS}.stream.v3.StdoutAccessLog`, { log_format });
  }
  return extension("envoy.access_loggers.file", `${LOGGERS}.file.v3.FileAccessLog`, { path, log_format });
}

import { BODY_MAX_BYTES, ENDPOINTS } from "@gold-partner/protocol";
import type { SidecarConfig } from "../settings.ts";
import { announcersOf } from "./address.ts";
import { type Message, typed } from "./any.ts";
import { TIMEOUT } from "./limit.ts";
import { SERVICE, STREAMS } from "./upstream.ts";

export const BUFFER = "envoy.filters.http.buffer";

/** Routes requests to the service's own host only, with every path unchanged. */
export function routes(config: SidecarConfig): Message {
  const refusals = [
    refuse(405, { connect_matcher: {} }),
    refuse(405, { prefix: "/", headers: [{ name: ":method", string_match: { exact: "TRACE" } }] }),
    refuse(413, {
      prefix: "/",
      headers: [{ name: "content-length", range_match: TAKEN, invert_match: true }],
    }),
  ];
  return {
    virtual_hosts: [
      {
        name: "service",
        domains: hostsOf(config.publicBaseUrl),
        // Uses only the timeouts of the connection manager. A route's timeout would also cut off a long reply
        // that still makes progress.
        routes: [...refusals, ...FIRST.map(first), ...STREAMED.map(streamed), {
          match: { prefix: "/" },
          route: ROUTE,
        }],
      },
      { name: "elsewhere", domains: ["*"], routes: [...refusals, refuse(404, { prefix: "/" })] },
    ],
    request_headers_to_add: vouchedHeaders(config),
    request_headers_to_remove: ["x-forwarded-proto", "x-envoy-external-address"],
  };
}

const ROUTE: Message = { cluster: SERVICE, timeout: "0s" };
/** They have connections of their own to the service, so that they do not wait behind an overload of quotes. */
const FIRST = [ENDPOINTS.createOrder, ENDPOINTS.createWithdrawal, ENDPOINTS.getHealth];

const first = ({ method, path }: { readonly method: string; readonly path: string }): Message => ({
  match: { path, headers: [{ name: ":method", string_match: { exact: method } }] },
  route: { ...ROUTE, priority: "HIGH" },
});

const STREAMED = [ENDPOINTS.streamPrices, ENDPOINTS.streamEvents];

const streamed = ({ path }: { readonly path: string }): Message => ({
  match: { path },
  route: { ...ROUTE, cluster: STREAMS, max_stream_duration: { max_stream_duration: TIMEOUT.stream } },
});

/** The accepted values of Content-Length. A larger body is refused before it arrives. */
const TAKEN: Message = { start: 0, end: BODY_MAX_BYTES + 1 };

/** Replies at once, without waiting for the rest of the body. */
function refuse(status: number, match: Message): Message {
  const disabled = typed("envoy.extensions.filters.http.buffer.v3.BufferPerRoute", { disabled: true });
  return { match, direct_response: { status }, typed_per_filter_config: { [BUFFER]: disabled } };
}

/** Clients send the host with the port or without it. */
function hostsOf(publicBaseUrl: string): string[] {
  const { hostname, port } = new URL(publicBaseUrl);
  return [hostname, `${hostname}:${port || 443}`];
}

function vouchedHeaders(config: SidecarConfig): Message[] {
  // Use DIRECT, the peer of the connection, only without a load balancer and HAProxy. Behind them, the peer
  // is not the client.
  const address = announcersOf(config).length > 0 ? "REMOTE_ADDRESS" : "DIRECT_REMOTE_ADDRESS";
  const headers = [["x-client-ip", `%DOWNSTREAM_${address}_WITHOUT_PORT%`]];
  const { proxySecret } = config;
  if (proxySecret !== undefined) headers.push(["x-gold-proxy-secret", proxySecret.replaceAll("%", "%%")]);
  return headers.map(([key, value]) => ({
    header: { key: key!, value: value! },
    append_action: "OVERWRITE_IF_EXISTS_OR_ADD",
  }));
}

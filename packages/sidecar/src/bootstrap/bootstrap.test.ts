import { describe, it } from "node:test";
import { assert, assertEquals } from "@std/assert";
import { readSidecarConfig } from "../settings.ts";
import { envoyBootstrap, envoyFiles } from "./bootstrap.ts";
import { SETTINGS } from "../sidecar_fixture.ts";

/** The value at a path of names and indexes. */
function at(message: unknown, path: string): unknown {
  return path.split(".").reduce(
    (inner, name) => (inner as Record<string, unknown> | undefined)?.[name],
    message,
  );
}

const LISTENER = "static_resources.listeners.0";
const MANAGER = `${LISTENER}.filter_chains.0.filters.0.typed_config`;
const TLS = `${LISTENER}.filter_chains.0.transport_socket.typed_config`;
const CLUSTER = "static_resources.clusters.0";

const bootstrapOf = (settings: Record<string, string> = {}) => {
  const bootstrap = envoyBootstrap(readSidecarConfig({ ...SETTINGS, ...settings }));
  return (path: string): unknown => at(bootstrap, path);
};

describe("envoyBootstrap()", () => {
  it("listens at the given addresses, and only Envoy's own user can open the admin socket", () => {
    const bootstrap = bootstrapOf();
    assertEquals(bootstrap(`${LISTENER}.address.socket_address`), { address: "0.0.0.0", port_value: 8443 });
    assertEquals(bootstrap(`${LISTENER}.additional_addresses.0.address.socket_address.address`), "::");
    assertEquals(bootstrap("admin.address"), { pipe: { path: "/run/envoy/admin.sock", mode: 0o600 } });
    const other = bootstrapOf({ ADMIN_LISTEN: "unix:/run/admin.sock", STATS_LISTEN: "127.0.0.1:9901" });
    assertEquals(other("admin.address"), { pipe: { path: "/run/admin.sock", mode: 0o600 } });
    assertEquals(other("static_resources.listeners.1.address.socket_address.port_value"), 9901);
    assertEquals(bootstrap("static_resources.listeners.1"), undefined);
  });

  it("requires a client certificate on every connection, without session resumption", () => {
    const bootstrap = bootstrapOf();
    assertEquals(bootstrap(`${TLS}.require_client_certificate`), true);
    assertEquals(bootstrap(`${TLS}.disable_stateless_session_resumption`), true);
    assertEquals(bootstrap(`${TLS}.disable_stateful_session_resumption`), true);
    assertEquals(bootstrap(`${MANAGER}.common_http_protocol_options.max_connection_duration`), "900s");
  });

  it("serves the host of the base URL, with and without its port", () => {
    const hosts = (url: string) =>
      bootstrapOf({ PUBLIC_BASE_URL: url })(`${MANAGER}.route_config.virtual_hosts.0.domains`);
    assertEquals(hosts("https://api.example"), ["api.example", "api.example:443"]);
    assertEquals(hosts("https://localhost:8443"), ["localhost", "localhost:8443"]);
    assertEquals(hosts("https://[::1]:8443"), ["[::1]", "[::1]:8443"]);
  });

  it("checks the readiness of each process, and sends no request if no process is ready", () => {
    const bootstrap = bootstrapOf();
    const endpoint = `${CLUSTER}.load_assignment.endpoints.0.lb_endpoints`;
    assertEquals(bootstrap(`${endpoint}.0.endpoint`), {
      address: { pipe: { path: "/run/a.sock" } },
      health_check_config: { address: { pipe: { path: "/run/a_operations.sock" } } },
    });
    assertEquals(bootstrap(`${endpoint}.1.endpoint.health_check_config`), {
      disable_active_health_check: true,
    });
    assertEquals(bootstrap(`${CLUSTER}.common_lb_config.healthy_panic_threshold.value`), 0);
    assertEquals(bootstrapOf({ UPSTREAMS: "unix:/run/a.sock" })(`${CLUSTER}.health_checks`), []);
  });

  it("never retries a request", () => {
    assert(!JSON.stringify(bootstrapOf()(MANAGER)).includes("retry_policy"));
    assertEquals(bootstrapOf()(`${CLUSTER}.circuit_breakers.thresholds.0.max_retries`), 0);
  });

  it("takes the partner's address from the load balancer if there is one, else from the connection", () => {
    const header = `${MANAGER}.route_config.request_headers_to_add.0.header.value`;
    assertEquals(bootstrapOf()(header), "%DOWNSTREAM_DIRECT_REMOTE_ADDRESS_WITHOUT_PORT%");
    const balanced = bootstrapOf({ PROXY_PROTOCOL_FROM: "10.0.0.0/8" });
    assertEquals(balanced(header), "%DOWNSTREAM_REMOTE_ADDRESS_WITHOUT_PORT%");
    const match = `${LISTENER}.filter_chains.0.filter_chain_match`;
    assertEquals(balanced(`${match}.direct_source_prefix_ranges`), [{
      address_prefix: "10.0.0.0",
      prefix_len: 8,
    }]);
    assertEquals([bootstrapOf()(match), bootstrapOf()(`${LISTENER}.listener_filters`)], [undefined, []]);
  });

  it("accepts only HAProxy if it runs in front, and allows less time for the handshake", () => {
    const bootstrap = bootstrapOf({ FRONT_LISTEN: "0.0.0.0:8443", SIDECAR_LISTEN: "127.0.0.1:8442" });
    const header = `${MANAGER}.route_config.request_headers_to_add.0.header.value`;
    assertEquals(bootstrap(header), "%DOWNSTREAM_REMOTE_ADDRESS_WITHOUT_PORT%");
    const chain = `${LISTENER}.filter_chains.0`;
    assertEquals(bootstrap(`${chain}.filter_chain_match.direct_source_prefix_ranges`), [
      { address_prefix: "127.0.0.1", prefix_len: 32 },
      { address_prefix: "::1", prefix_len: 128 },
    ]);
    assertEquals(bootstrap(`${chain}.transport_socket_connect_timeout`), "2s");
    assertEquals(bootstrapOf()(`${chain}.transport_socket_connect_timeout`), "3s");
  });

  it("limits the rate of each certificate and the number of connections by the settings", () => {
    const bootstrap = bootstrapOf({ FLOOD_PER_SECOND: "77", CONNECTIONS_MAX: "88" });
    assertEquals(
      bootstrap(`${MANAGER}.http_filters.0.typed_config.descriptors.0.token_bucket.max_tokens`),
      77,
    );
    assertEquals(bootstrapOf()(`${MANAGER}.http_filters.0.typed_config.token_bucket`), {
      max_tokens: 500,
      tokens_per_fill: 100,
      fill_interval: "0.05s",
    });
    const monitor = "overload_manager.resource_monitors.1.typed_config.max_active_downstream_connections";
    assertEquals(bootstrap(monitor), 88);
  });

  it("keeps token buckets for 10,000 certificates, and replaces the client's certificate header", () => {
    const bootstrap = bootstrapOf();
    assertEquals(bootstrap(`${MANAGER}.http_filters.0.typed_config.max_dynamic_descriptors`), 10_000);
    assertEquals(bootstrap(`${MANAGER}.forward_client_cert_details`), "SANITIZE_SET");
    assertEquals(bootstrap(`${MANAGER}.set_current_client_cert_details`), {});
  });

  it("differs between sandbox and production only in its cluster name", () => {
    const text = (environment: string) =>
      JSON.stringify(envoyBootstrap(readSidecarConfig({ ...SETTINGS, GOLD_ENV: environment })));
    assertEquals(
      text("sandbox").replace('"cluster":"sandbox"', '"cluster":"production"'),
      text("production"),
    );
  });
});

describe("envoyFiles()", () => {
  it("names the server's certificate in a separate file, with the folder that Envoy watches", () => {
    const files = envoyFiles(readSidecarConfig(SETTINGS));
    assertEquals([...files.keys()], ["envoy.json", "server_certificate.json", "own_refusals.json"]);
    const secret = at(files.get("server_certificate.json"), "resources.0.tls_certificate");
    assertEquals(secret, {
      certificate_chain: { filename: "/etc/gold/tls/tls.crt" },
      private_key: { filename: "/etc/gold/tls/tls.key" },
      watched_directory: { path: "/etc/gold/tls" },
    });
    const named = bootstrapOf()(`${TLS}.common_tls_context.tls_certificate_sds_secret_configs.0.sds_config`);
    assertEquals(at(named, "path_config_source.path"), "/etc/gold/envoy/server_certificate.json");
  });
});

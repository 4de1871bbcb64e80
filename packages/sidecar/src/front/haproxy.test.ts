import { describe, it } from "node:test";
import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { readSidecarConfig } from "../settings.ts";
import { haproxyFiles } from "./haproxy.ts";
import { SETTINGS } from "../sidecar_fixture.ts";

const FRONT = {
  ...SETTINGS,
  UPSTREAMS: "unix:/run/a.sock",
  FRONT_LISTEN: "0.0.0.0:8443,[::]:8443",
  SIDECAR_LISTEN: "127.0.0.1:8442",
};

const filesOf = (settings: Record<string, string> = {}) =>
  new Map(haproxyFiles(readSidecarConfig({ ...FRONT, ...settings })));
const linesOf = (settings: Record<string, string> = {}) =>
  filesOf(settings).get("haproxy.cfg")!.split("\n").map((line) => line.trim());

describe("haproxyFiles()", () => {
  it("returns nothing if partners connect to Envoy directly", () => {
    assertEquals([...filesOf({ FRONT_LISTEN: "" })], []);
  });

  it("listens for partners, and forwards bytes to Envoy with the client's address", () => {
    const lines = linesOf();
    const binds = lines.filter((line) => line.startsWith("bind "));
    assertEquals(binds, ["bind 0.0.0.0:8443", "bind [::]:8443 v6only", "bind 127.0.0.1:8405"]);
    assert(lines.includes("server envoy 127.0.0.1:8442 send-proxy-v2"));
    assertEquals(filesOf().get("partners.map"), "");
  });

  it("counts an IPv6 /64 as one address, and applies the limits of the settings", () => {
    const lines = linesOf({
      CONNECTIONS_MAX: "900",
      CONNECTIONS_PER_ADDRESS: "7",
      CONNECTIONS_PER_PARTNER: "8",
      CONNECTIONS_UNREGISTERED: "9",
    });
    for (
      const line of [
        "maxconn 900",
        "maxconn 1000",
        "tcp-request session track-sc0 src,ipmask(32,64) table addresses",
        "tcp-request session reject if { sc_conn_cur(0) gt 7 }",
        "tcp-request session reject if is_unregistered { sc_conn_cur(1) gt 9 }",
        "tcp-request session reject if !is_unregistered { sc_conn_cur(1) gt 8 }",
        "stick-table type ipv6 size 1800 expire 1m store conn_cur",
      ]
    ) assert(lines.includes(line), line);
  });

  it("accepts PROXY protocol only from listed load balancers, and counts the announced clients", () => {
    assert(!linesOf().some((line) => line.includes("expect-proxy")));
    const lines = linesOf({ PROXY_PROTOCOL_FROM: "10.0.0.0/8,fd00::/8" });
    const reject = lines.indexOf("tcp-request connection reject if !{ src 10.0.0.0/8 fd00::/8 }");
    assertEquals(lines[reject + 1], "tcp-request connection expect-proxy layer4");
    assertStringIncludes(lines[reject + 2]!, "tcp-request session track-sc0 src,");
  });
});

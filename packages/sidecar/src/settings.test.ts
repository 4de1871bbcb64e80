import { writeFileSync } from "node:fs";
import { assertEquals, assertStringIncludes, assertThrows } from "@std/assert";
import { join } from "node:path";
import { describe, it } from "node:test";
import { readSidecarConfig, SIDECAR_SETTINGS, SidecarConfigError } from "./settings.ts";
import { temporaryFolder } from "../../../tools/testing/temporary_folder.ts";
import { SETTINGS } from "./sidecar_fixture.ts";

function faultsOf(variables: Record<string, string>): readonly string[] {
  let faults: readonly string[] = [];
  assertThrows(() => {
    try {
      readSidecarConfig({ ...SETTINGS, ...variables });
    } catch (error) {
      faults = (error as SidecarConfigError).faults;
      throw error;
    }
  }, SidecarConfigError);
  return faults;
}

describe("readSidecarConfig()", () => {
  it("reads the environment, and by default lets Envoy listen on every address", () => {
    const config = readSidecarConfig(SETTINGS);
    assertEquals(config.listen, [{ kind: "tcp", host: "0.0.0.0", port: 8443 }, {
      kind: "tcp",
      host: "::",
      port: 8443,
    }]);
    assertEquals(config.upstreams, [
      {
        server: { kind: "unix", path: "/run/a.sock" },
        operations: { kind: "unix", path: "/run/a_operations.sock" },
      },
      { server: { kind: "unix", path: "/run/b.sock" }, operations: undefined },
    ]);
    assertEquals([config.proxySecret, config.proxyProtocolFrom], [undefined, []]);
    assertEquals([config.floodPerSecond, config.connectionsMax, config.accessLog], [
      2000,
      8000,
      "/dev/stdout",
    ]);
    assertEquals([config.adminListen, config.statsListen], [
      { kind: "unix", path: "/run/envoy/admin.sock" },
      undefined,
    ]);
    const ranges =
      readSidecarConfig({ ...SETTINGS, PROXY_PROTOCOL_FROM: "10.0.0.0/8, 2001:db8::/32" }).proxyProtocolFrom;
    assertEquals(ranges, [{ prefix: "10.0.0.0", bits: 8 }, { prefix: "2001:db8::", bits: 32 }]);
  });

  it("reads HAProxy's limits if FRONT_LISTEN is set, and then requires Envoy to listen on loopback", () => {
    assertEquals(readSidecarConfig(SETTINGS).front, undefined);
    const front = { FRONT_LISTEN: "0.0.0.0:8443", SIDECAR_LISTEN: "127.0.0.1:8442" };
    assertEquals(readSidecarConfig({ ...SETTINGS, ...front }).front, {
      listen: [{ kind: "tcp", host: "0.0.0.0", port: 8443 }],
      metricsListen: { kind: "tcp", host: "127.0.0.1", port: 8405 },
      directory: "/run/front",
      perAddress: 256,
      perPartner: 1024,
      unregistered: 1024,
    });
    const open = faultsOf({ ...front, SIDECAR_LISTEN: "0.0.0.0:8442" });
    assertStringIncludes(open.join(), "SIDECAR_LISTEN must be 127.0.0.1:PORT");
  });

  it("reports every fault at once, each under its setting's name", () => {
    const wrong: Record<string, string> = {
      GOLD_ENV: "staging",
      PUBLIC_BASE_URL: "https://api.example/",
      DOCS_URL: "https://docs.example/%REQ(:path)%",
      SIDECAR_LISTEN: "localhost:8443",
      FRONT_LISTEN: "8443",
      FRONT_DIRECTORY: "front",
      FRONT_METRICS_LISTEN: "0.0.0.0:8405",
      CONNECTIONS_PER_ADDRESS: "0",
      CONNECTIONS_PER_PARTNER: "many",
      CONNECTIONS_UNREGISTERED: "-1",
      UPSTREAMS: "10.0.0.7:8080",
      PROXY_SECRET_FILE: "/nowhere",
      CONFIG_DIRECTORY: "envoy",
      TRUST_DIRECTORY: "trust",
      SERVER_CERTIFICATE_DIRECTORY: "tls",
      PROXY_PROTOCOL_FROM: "10.0.0.0",
      FLOOD_PER_SECOND: "0",
      CONNECTIONS_MAX: "1e3",
      ADMIN_LISTEN: "127.0.0.1:9901",
      STATS_LISTEN: "0.0.0.0:9901",
      ACCESS_LOG: "access.log",
    };
    const named = (faults: readonly string[]) => faults.map((fault) => fault.split(" ", 1)[0]).sort();
    assertEquals(named(faultsOf(wrong)), SIDECAR_SETTINGS.map(({ name }) => name).sort());
    const required = SIDECAR_SETTINGS.filter((setting) => setting.default === undefined).map(({ name }) =>
      name
    );
    assertEquals(named(faultsOf(Object.fromEntries(required.map((name) => [name, ""])))), required.sort());
  });

  it("rejects malformed, repeated and out-of-range values", () => {
    const addresses = "0.0.0.0 0.0.0.0:65536 ::8443 [0.0.0.0]:1 [zz]:1 1.2.3:1 0.0.0.0:1, [::]:1,[::]:1";
    const wrong: Readonly<Record<string, string>> = {
      PUBLIC_BASE_URL: "http://api.example https://API.example https://api.example:443 api.example",
      SIDECAR_LISTEN: addresses,
      UPSTREAMS: "unix: unix:relative /a.sock unix:/a|unix:/b|unix:/c unix:/a| tcp:1 unix:/a,unix:/a " +
        `unix:/${"a".repeat(107)}`,
      PROXY_PROTOCOL_FROM: "10.0.0.0/33 10.0.0.0/ 10.0.0.0/8/24 10.0.0.0/-1 ::/129 0.0.0.0/0x8",
      FLOOD_PER_SECOND: "-1 1.5 1000001 five",
      ADMIN_LISTEN: "127.0.0.1:9901 unix:admin.sock /run/admin.sock",
    };
    for (const [name, values] of Object.entries(wrong)) {
      for (const value of values.split(" ")) {
        assertStringIncludes(faultsOf({ [name]: value }).join(), `${name} `, `${name}=${value}`);
      }
    }
  });

  it("allows TCP upstreams only in the sandbox, and only with the service's secret", () => {
    const folder = temporaryFolder("sidecar-settings");
    const file = join(folder, "secret");
    const tcp = {
      UPSTREAMS: "127.0.0.1:8080|127.0.0.1:8081",
      PROXY_SECRET_FILE: file,
      ADMIN_LISTEN: "unix:/run/admin.sock",
    };
    const secret = "s".repeat(32);
    writeFileSync(file, `${secret}\n`);
    assertEquals(readSidecarConfig({ ...SETTINGS, ...tcp, GOLD_ENV: "sandbox" }).proxySecret, secret);
    assertStringIncludes(faultsOf(tcp).join(), "UPSTREAMS must be Unix sockets in production");
    const without = faultsOf({ ...tcp, GOLD_ENV: "sandbox", PROXY_SECRET_FILE: "" });
    assertStringIncludes(without.join(), "PROXY_SECRET_FILE is missing");
    for (const weak of ["s".repeat(31), `${secret} ${secret}`, `${secret}\r\nx-client-ip: 1.2.3.4`]) {
      writeFileSync(file, weak);
      assertStringIncludes(
        faultsOf({ ...tcp, GOLD_ENV: "sandbox" }).join(),
        "PROXY_SECRET_FILE must contain",
      );
    }
  });
});

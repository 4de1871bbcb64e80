import { spawnSync } from "node:child_process";
import { assertEquals } from "@std/assert";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import process from "node:process";
import { describe, it } from "node:test";
import { writeConfigFiles } from "../config_folder.ts";
import { ENVOY_PART } from "../envoy_process.ts";
import { createTestAuthority } from "../pki_fixture.ts";
import { readSidecarConfig } from "../settings.ts";
import { writeTrust } from "../trust/trust_folder.ts";
import { temporaryFolder } from "../../../../tools/testing/temporary_folder.ts";

/** Creates every file that the configuration names, because Envoy's validation needs them. */
async function stage() {
  const folder = temporaryFolder("envoy-validate");
  const at = (name: string): string => join(folder, name);
  const authority = createTestAuthority(at("pki"));
  await writeTrust(at("trust"), { certificates: [authority.cert], revocationLists: [] });
  const { cert, key } = authority.issue("localhost", "serverAuth");
  mkdirSync(at("server"));
  writeFileSync(at("server/tls.crt"), cert);
  writeFileSync(at("server/tls.key"), key);
  writeFileSync(at("secret"), "s".repeat(32));
  const settings = {
    PUBLIC_BASE_URL: "https://api.example:8443",
    CONFIG_DIRECTORY: at("config"),
    TRUST_DIRECTORY: at("trust"),
    SERVER_CERTIFICATE_DIRECTORY: at("server"),
    FRONT_DIRECTORY: at("front"),
  };
  return { at, settings };
}

async function validate(variables: Record<string, string>): Promise<string> {
  const [bootstrap = ""] = await writeConfigFiles(readSidecarConfig(variables));
  const args = ["--mode", "validate", "-c", bootstrap, "--use-dynamic-base-id", "--log-level", "warning"];
  const { status, stdout, stderr } = spawnSync(ENVOY_PART, args, { encoding: "utf8" });
  return `${status}: ${stdout}${stderr}`.trim();
}

describe("envoy --mode validate", () => {
  it("accepts the configuration of every setup", async () => {
    const { at, settings } = await stage();
    const sockets = "unix:/run/a.sock|unix:/run/a_operations.sock";
    const ways: Record<string, string>[] = [
      { GOLD_ENV: "production", UPSTREAMS: sockets },
      { GOLD_ENV: "sandbox", UPSTREAMS: `${sockets},unix:/run/b.sock` },
      {
        GOLD_ENV: "sandbox",
        UPSTREAMS: "127.0.0.1:8080|127.0.0.1:8081",
        PROXY_SECRET_FILE: at("secret"),
        ADMIN_LISTEN: `unix:${at("admin.sock")}`,
      },
      {
        GOLD_ENV: "production",
        UPSTREAMS: sockets,
        FRONT_LISTEN: "0.0.0.0:8443,[::]:8443",
        SIDECAR_LISTEN: "127.0.0.1:8442",
      },
      { GOLD_ENV: "production", UPSTREAMS: "unix:/run/a.sock", ADMIN_LISTEN: `unix:${at("admin.sock")}` },
    ];
    for (const way of ways.flatMap((one) => [one, { ...one, PROXY_PROTOCOL_FROM: "10.0.0.0/8,fd00::/8" }])) {
      assertEquals(
        await validate({ ...settings, ...way }),
        `0: configuration '${at("config/envoy.json")}' OK`,
      );
    }
  });
});

describe("haproxy -c", () => {
  it("accepts the configuration of every setup", async () => {
    const { at, settings } = await stage();
    const front = {
      GOLD_ENV: "production",
      UPSTREAMS: "unix:/run/a.sock",
      FRONT_LISTEN: "0.0.0.0:8443,[::]:8443",
      SIDECAR_LISTEN: "127.0.0.1:8442",
    };
    for (const PROXY_PROTOCOL_FROM of ["", "10.0.0.0/8,fd00::/8"]) {
      await writeConfigFiles(readSidecarConfig({ ...settings, ...front, PROXY_PROTOCOL_FROM }));
      const PATH = `${process.env["PATH"]}:/usr/sbin`;
      const { status, stdout, stderr } = spawnSync("haproxy", ["-c", "-f", at("front/haproxy.cfg")], {
        encoding: "utf8",
        env: { ...process.env, PATH },
      });
      assertEquals(`${status}: ${stdout}${stderr}`, "0: Configuration file is valid\n");
    }
  });
});

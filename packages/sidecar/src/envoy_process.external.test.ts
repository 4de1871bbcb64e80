import { join } from "node:path";
import { assertRejects } from "@std/assert";
import process from "node:process";
import { describe, it } from "node:test";
import { startEnvoy } from "./envoy_process.ts";
import { readSidecarConfig } from "./settings.ts";
import { temporaryFolder } from "../../../tools/testing/temporary_folder.ts";

describe("startEnvoy()", () => {
  it("fails with Envoy's log if Envoy does not start, and with the install command if Envoy is missing", async () => {
    const folder = temporaryFolder("envoy-process");
    const config = readSidecarConfig({
      GOLD_ENV: "sandbox",
      PUBLIC_BASE_URL: "https://localhost",
      UPSTREAMS: "unix:/nowhere.sock",
      CONFIG_DIRECTORY: join(folder, "config"),
      TRUST_DIRECTORY: join(folder, "no_trust"),
      SERVER_CERTIFICATE_DIRECTORY: join(folder, "no_certificate"),
      ADMIN_LISTEN: `unix:${join(folder, "admin.sock")}`,
    });
    const options = { config, logFile: join(folder, "envoy.log") };
    await assertRejects(() => startEnvoy(options), Error, "no_trust");
    process.env["ENVOY_BINARY"] = join(folder, "no_envoy");
    await assertRejects(() => startEnvoy(options), Error, "npm run tools -- envoy");
    delete process.env["ENVOY_BINARY"];
  });
});

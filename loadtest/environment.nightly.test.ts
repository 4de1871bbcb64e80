import { spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import process from "node:process";
import { before, describe, it } from "node:test";
import { fileURLToPath } from "node:url";
import { assertEquals, assertMatch } from "@std/assert";
import { SCENARIOS, serviceLevels } from "./lib/service_levels.ts";
import { temporaryFolder } from "../tools/testing/temporary_folder.ts";

const ROOT = fileURLToPath(new URL("..", import.meta.url));
const K6 = join(ROOT, ".tools", "bin", "k6");
/** k6 does not exit on syntax that it cannot parse, so the test kills it after this time. */
const K6_TIMEOUT_MS = 60_000;
const SELF_SIGNED =
  "req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -subj /CN=bank -out cert.pem -keyout key.pem";

describe("load test settings from environment variables", () => {
  const folder = temporaryFolder("gold-loadtest");
  let cert_pem: string;
  before(async () => {
    if (!existsSync(K6)) throw new Error("k6 is not installed; run: node tools/run.mjs tools");
    const { status, stderr } = spawnSync("openssl", SELF_SIGNED.split(" "), {
      cwd: folder,
      encoding: "utf8",
    });
    assertEquals(status, 0, stderr);
    cert_pem = await readFile(join(folder, "cert.pem"), "utf8");
    const key_pem = await readFile(join(folder, "key.pem"), "utf8");
    for (const name of ["0", "limited"]) {
      const partner = { base_url: "https://localhost:8443", cert_pem, key_pem, signing_jwk: {} };
      await writeFile(join(folder, `partner-${name}.json`), JSON.stringify(partner));
    }
    await writeFile(join(folder, "partner-cut.json"), '{"base_url":"https://loc');
  });

  function k6(command: string, scenario: string, env: Record<string, string> = {}) {
    const words = Object.entries({ PARTNERS_DIR: folder, ...env }).flatMap((
      [name, text],
    ) => ["-e", `${name}=${text}`]);
    const argv = [command, ...words, `loadtest/${scenario}.ts`];
    return spawnSync(K6, argv, {
      cwd: ROOT,
      env: { PATH: process.env.PATH!, HOME: folder, K6_NO_USAGE_REPORT: "true" },
      encoding: "utf8",
      timeout: K6_TIMEOUT_MS,
      killSignal: "SIGKILL",
    });
  }
  const optionsOf = (scenario: string, env?: Record<string, string>) => {
    const { stdout, stderr } = k6("inspect", scenario, env);
    if (!stdout) throw new Error(stderr);
    return JSON.parse(stdout);
  };

  it("every scenario uses its service levels as thresholds and the profile's arrival rate", () => {
    for (const scenario of SCENARIOS) {
      const { thresholds, scenarios } = optionsOf(scenario, { PROFILE: "stress", RATE: "30" });
      assertEquals(Object.keys(thresholds).sort(), Object.keys(serviceLevels(scenario, "stress")).sort());
      const { executor, stages } = scenarios[scenario];
      assertEquals([executor, stages.length, stages[0].target], ["ramping-arrival-rate", 3, 30]);
    }
  });

  it("skips the verification of a server's certificate only on loopback and without VERIFY_TLS=1", () => {
    const cases: [Record<string, string>, boolean][] = [
      [{}, true],
      [{ BASE_URL: "https://127.0.0.1:10000" }, true],
      [{ BASE_URL: "https://[::1]:8443" }, true],
      [{ VERIFY_TLS: "1" }, false],
      [{ BASE_URL: "https://sandbox.gold.example" }, false],
      [{ BASE_URL: "https://localhost.gold.example:8443" }, false],
      [{ BASE_URL: "https://127.0.0.1.gold.example" }, false],
    ];
    for (const [env, skipped] of cases) {
      assertEquals(optionsOf("quote_order", env).insecureSkipTLSVerify, skipped, JSON.stringify(env));
    }
  });

  it("presents the partner's own certificate, and tags every sample with the partner", () => {
    const { tlsAuth, tags } = optionsOf("quote_order");
    assertEquals([tlsAuth.length, tlsAuth[0].cert, tags], [1, cert_pem, { partner: "0" }]);
    assertEquals(optionsOf("limiter").tags, { partner: "limited" });
  });

  it("reports an unreachable service once, and sends no load", () => {
    for (const scenario of SCENARIOS) {
      const { status, stdout, stderr } = k6("run", scenario, { BASE_URL: "https://localhost:1" });
      assertMatch(stderr, /localhost:1\/oauth\/token: dial: connection refused; start the service, or make/);
      assertEquals([status, stdout.includes("No iteration ran")], [108, true], scenario);
    }
  });

  it("reports an invalid setting in one sentence, without a stack trace", () => {
    const cases: [Record<string, string>, RegExp][] = [
      [{ PARTNER: "7" }, /partner-7\.json does not exist\. .* npm run gold -- loadtest prepare --partners 8/],
      [{ PROFILE: "big" }, /PROFILE must be one of smoke, .*; got big\./],
      [{ DURATION: "5" }, /DURATION must be a duration such as 30s, 5m or 1h30m; got 5\./],
      [{ BASE_URL: "https://localhost:8443/" }, /BASE_URL must be .*; got https:\/\/localhost:8443\/\./],
      [{ BASE_URL: "http://localhost:8443" }, /BASE_URL must be .*; got http:\/\/localhost:8443\./],
      [
        { PARTNER: "cut" },
        /partner-cut\.json is not a valid partner file\. Remove it\. .* npm run gold -- loadtest prepare/,
      ],
    ];
    for (const [env, sentence] of cases) {
      const { status, stderr } = k6("run", "quote_order", env);
      assertMatch(stderr, sentence);
      assertEquals([status, stderr.trim().split("\n").length, /\bat (?:file|\w+ \()/.test(stderr)], [
        107,
        1,
        false,
      ], stderr);
    }
  });
});

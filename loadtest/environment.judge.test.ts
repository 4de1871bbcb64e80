import { spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import process from "node:process";
import { after, before, describe, it } from "node:test";
import { fileURLToPath } from "node:url";
import { assertEquals, assertMatch } from "@std/assert";
import { SCENARIOS, serviceLevels } from "./lib/service_levels.ts";

const ROOT = fileURLToPath(new URL("..", import.meta.url));
const K6 = join(ROOT, ".tools", "bin", "k6");
/** k6 does not exit on syntax that it cannot parse, so the test kills it after this time. */
const K6_TIMEOUT_MS = 60_000;
const SELF_SIGNED =
  "req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -subj /CN=bank -out cert.pem -keyout key.pem";

describe("what the environment makes of a load test", () => {
  let folder: string;
  let cert_pem: string;
  before(async () => {
    if (!existsSync(K6)) throw new Error("k6 is not there; run: node tools/run.mjs parts");
    folder = await mkdtemp(join(tmpdir(), "gold-loadtest-"));
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
  after(() => rm(folder, { recursive: true, force: true }));

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

  it("every scenario has its service levels for thresholds, and the profile's arrivals", () => {
    for (const scenario of SCENARIOS) {
      const { thresholds, scenarios } = optionsOf(scenario, { PROFILE: "stress", RATE: "30" });
      assertEquals(Object.keys(thresholds).sort(), Object.keys(serviceLevels(scenario, "stress")).sort());
      const { executor, stages } = scenarios[scenario];
      assertEquals([executor, stages.length, stages[0].target], ["ramping-arrival-rate", 3, 30]);
    }
  });

  it("leaves a server's certificate unverified on this machine alone, and there not where it is told", () => {
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

  it("presents the partner's own certificate, and marks every sample with the partner", () => {
    const { tlsAuth, tags } = optionsOf("quote_order");
    assertEquals([tlsAuth.length, tlsAuth[0].cert, tags], [1, cert_pem, { partner: "0" }]);
    assertEquals(optionsOf("limiter").tags, { partner: "limited" });
  });

  it("puts no load on what cannot be reached, and says so", () => {
    for (const scenario of SCENARIOS) {
      const { status, stdout, stderr } = k6("run", scenario, { BASE_URL: "https://localhost:1" });
      assertMatch(stderr, /localhost:1\/oauth\/token: dial: connection refused; start the service, or make/);
      assertEquals([status, stdout.includes("No iteration ran")], [108, true], scenario);
    }
  });

  it("says in one sentence what cannot be, without a stack", () => {
    const cases: [Record<string, string>, RegExp][] = [
      [{ PARTNER: "7" }, /There is no \S+partner-7\.json\. .* npm run gold -- loadtest prepare --partners 8/],
      [{ PROFILE: "big" }, /PROFILE=big is none; there are: smoke, /],
      [{ DURATION: "5" }, /DURATION=5 is no time/],
      [{ BASE_URL: "https://localhost:8443/" }, /BASE_URL=https:\/\/localhost:8443\/ is no address/],
      [{ BASE_URL: "http://localhost:8443" }, /BASE_URL=http:\/\/localhost:8443 is no address/],
      [
        { PARTNER: "cut" },
        /partner-cut\.json is no partner's file\. Remove it\. .* npm run gold -- loadtest prepare/,
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

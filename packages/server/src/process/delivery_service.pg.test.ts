import { randomBytes } from "node:crypto";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterEach, before, describe, it } from "node:test";
import { assertEquals, assertMatch, assertRejects, assertStringIncludes } from "@std/assert";
import { readConfig, readDeliveryConfig } from "../settings/config.ts";
import { startDelivery } from "./delivery_service.ts";
import { type Service, startService } from "./service.ts";
import { sendRaw } from "./service_fixture.ts";
import { until } from "../../../../tools/testing/until.ts";
import { temporaryFolder } from "../../../../tools/testing/temporary_folder.ts";
import { findFreePort } from "@gold-partner/dev/postgres";
import { suiteBooks } from "../../testing/books.ts";

describe("startDelivery()", () => {
  const [folder, books] = [temporaryFolder("gold-test"), suiteBooks()];
  before(async () => {
    for (const name of ["pepper", "sealing_key"]) {
      await writeFile(join(folder, name), randomBytes(32).toString("hex"));
    }
  });
  const running: Service[] = [];
  afterEach(async () => {
    for (const service of running.splice(0)) await service.stop();
  });

  const variables = () => {
    const urlOf = (login: string) => `${books.url}?role=${login}`;
    return {
      DATABASE_URL: urlOf("gold_api"),
      DELIVERY_DATABASE_URL: urlOf("gold_delivery"),
      TICKER_DATABASE_URL: urlOf("gold_ticker"),
      GOLD_ENV: "sandbox",
      PUBLIC_BASE_URL: "https://localhost:8443",
      OPERATIONS_LISTEN: `unix:${join(folder, "operations.sock")}`,
      SEALING_KEY_SOURCE: `file:${join(folder, "sealing_key")}`,
    };
  };
  const serving = () => ({
    ...variables(),
    LISTEN: `unix:${join(folder, "service.sock")}`,
    PEPPER_SOURCE: `file:${join(folder, "pepper")}`,
  });
  const run = async (starting: Promise<Service>) => {
    const service = await starting;
    running.push(service);
    return service;
  };
  const isSealed = async (client: number) => {
    const [row] = await books.sql`
      select count(*)::int as links from gold.chain_link where client_id = ${client}`;
    return row!.links > 0;
  };
  const untilSealed = (client: number) => until(() => isSealed(client));
  const ask = async (path: string) => {
    const { operationsListen } = readDeliveryConfig(variables());
    return await sendRaw(operationsListen, [`GET ${path} HTTP/1.1`, "Host: localhost"]);
  };

  it("seals the chains, and is live and ready until it is stopped", async () => {
    const log: string[] = [];
    const service = await run(startDelivery(readDeliveryConfig(variables()), (line) => log.push(line)));
    assertEquals([(await ask("/live")).status, (await ask("/ready")).status], [200, 200]);
    let metrics = "";
    await until(async () => {
      metrics = (await ask("/metrics")).body;
      return metrics.includes("gold_webhook_parked 0");
    }, () => metrics);
    for (const outcome of ["delivered", "refused", "failed", "disabled"]) {
      assertStringIncludes(metrics, `gold_webhook_attempts_total{outcome="${outcome}"} 0`);
    }
    const endpoints = ["endpoints_held ", "endpoints_disabled 0", "endpoints_failing 0"];
    const gauges = [
      "in_flight 0",
      "waiting ",
      "oldest_seconds ",
      "unsent_seconds ",
      "parked 0",
      ...endpoints,
    ];
    for (const gauge of gauges) {
      assertStringIncludes(metrics, `gold_webhook_${gauge}`);
    }
    await untilSealed(await books.createClient({ halalas: 100n }));
    await Promise.all([service.stop(), service.stop()]);
    await assertRejects(() => ask("/live"));
    const client = await books.createClient({ halalas: 100n });
    await pause(1500);
    assertEquals(await isSealed(client), false);
    assertMatch(log[0]!, /"event":"delivering".*"role":"delivery"/);
    // Leave out other lines: the sealing key of these partners' webhook secrets does not exist, and a busy
    // machine may delay the write probe.
    const lifecycle = /^(delivering|stopping|stopped)$/;
    const events = log.map((line) => JSON.parse(line).event).filter((one) => lifecycle.test(one));
    assertEquals(events, ["delivering", "stopping", "stopped"]);
  });

  it("is needed beside the role api, which seals no chain, and not beside the role all, which seals by itself", async () => {
    const client = await books.createClient({ halalas: 100n });
    const api = await run(startService(readConfig(serving(), "api"), () => {}));
    await pause(1500);
    assertEquals(await isSealed(client), false);
    await api.stop();
    await run(startService(readConfig(serving()), () => {}));
    await untilSealed(client);
  });

  it("shows the metrics alone at METRICS_LISTEN, in every role, until it is stopped", async () => {
    const port = await findFreePort();
    const METRICS_LISTEN = `0.0.0.0:${port}`;
    const get = async (path: string) => {
      const reply = await fetch(`http://127.0.0.1:${port}${path}`, { headers: { Connection: "close" } });
      return [reply.status, await reply.text()] as const;
    };
    const starts = [
      () => startDelivery(readDeliveryConfig({ ...variables(), METRICS_LISTEN }), () => {}),
      () => startService(readConfig({ ...serving(), METRICS_LISTEN }, "api"), () => {}),
    ];
    for (const start of starts) {
      const service = await run(start());
      const [status, metrics] = await get("/metrics");
      assertEquals(status, 200);
      assertStringIncludes(metrics, "gold_build_info{");
      for (const path of ["/live", "/ready", "/health", "/v1/orders"]) {
        assertEquals(await get(path), [404, "/metrics\n"]);
      }
      await service.stop();
      await assertRejects(() => get("/metrics"));
    }
  });

  it("rejects another deployment's database, an address in use, and a missing key file", async () => {
    const log: string[] = [];
    const start = (changes: Record<string, string>) =>
      run(startDelivery(readDeliveryConfig({ ...variables(), ...changes }), (line) => log.push(line)));
    const protections = ["HA", "HEADS_FILE"];
    const off = Object.fromEntries(protections.map((setting) => [setting, "off"]));
    await assertRejects(() => start({ GOLD_ENV: "production", ...off }), Error, "a sandbox database");
    const warnings = log.map((line) => JSON.parse(line)).filter(({ level }) => level === "warn");
    assertEquals(
      warnings.flatMap(({ setting }) => setting === undefined ? [] : [setting]),
      protections,
      "production warns at each start of each protection that is off",
    );
    await start({});
    await assertRejects(() => start({}), Error, "OPERATIONS_LISTEN: Another service listens");
    const taken = { OPERATIONS_LISTEN: `unix:${join(folder, "other.sock")}` };
    const lost = { SEALING_KEY_SOURCE: `file:${join(folder, "none")}` };
    await assertRejects(() => start({ ...taken, ...lost }), Error, "returned no key: ENOENT");
  });
});

const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

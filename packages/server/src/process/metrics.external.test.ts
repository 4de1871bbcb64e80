import { spawnSync } from "node:child_process";
import { once } from "node:events";
import { get } from "node:http";
import { text } from "node:stream/consumers";
import { before, describe, it } from "node:test";
import { assertEquals, assertMatch } from "@std/assert";
import { until } from "../../../../tools/testing/until.ts";
import { suiteService } from "../../testing/service.ts";
import { setUp } from "../../testing/set_up.ts";
import { addressText } from "../http/listener.ts";
import { COUNTERS, GAUGES, HISTOGRAMS } from "../operations/families.ts";
import { sendRaw } from "./service_fixture.ts";
import { startService } from "./service.ts";

describe("the metrics of a process that serves and delivers", () => {
  const fixture = suiteService();
  setUp(() => startService({ ...fixture.config, role: "all" }, () => {}));
  const scrape = async (): Promise<string> => {
    const { operationsListen: address } = fixture.config;
    const [reply] = await once(
      get({ socketPath: addressText(address).slice("unix:".length), path: "/metrics" }),
      "response",
    );
    return await text(reply);
  };
  before(() => until(async () => (await scrape()).includes("gold_database_read_timestamp_seconds")));

  it("have nothing that promtool's linter finds", async () => {
    const health = await sendRaw(fixture.config.listen, [
      "GET /health HTTP/1.1",
      "Host: localhost",
      `X-Forwarded-Client-Cert: Hash=${fixture.partner.fingerprint}`,
      "X-Client-Ip: 127.0.0.1",
    ]);
    assertEquals(health.status, 200);
    await sendRaw(fixture.config.listen, ["GET /health HTTP/1.1", "Host: localhost"]);
    const metrics = await scrape();
    assertMatch(metrics, /^gold_refusals_total\{code="certificate_unknown"\} 1$/m);
    assertMatch(
      metrics,
      /^gold_build_info\{version="\d+\.\d+\.\d+(-dev\+[0-9a-f]{12})?",runtime="(node|deno)"\} 1$/m,
    );
    const { status, stdout, stderr, error } = spawnSync("promtool", ["check", "metrics"], {
      input: metrics,
      encoding: "utf8",
    });
    if (error) throw new Error(`promtool does not run: ${error.message}. Install Debian's prometheus.`);
    assertEquals([status, `${stdout}${stderr}`], [0, ""]);
  });

  it("are all described, and no description is of a metric that is never shown", async () => {
    // These have no value until somebody waits, a webhook was sent, a stream ended or the garbage was collected.
    const later = [
      "gold_turn_wait_seconds",
      "gold_database_wait_seconds",
      "gold_webhook_seconds",
      "gold_streams_ended_total",
      "gold_garbage_collection_seconds",
    ];
    const shown = [...(await scrape()).matchAll(/^# TYPE (\w+) /gm)].map(([, name]) => name!);
    const described = Object.keys({ ...COUNTERS, ...GAUGES, ...HISTOGRAMS });
    assertEquals(
      described.filter((name) => !shown.includes(name) && !later.includes(name)),
      [],
    );
  });
});

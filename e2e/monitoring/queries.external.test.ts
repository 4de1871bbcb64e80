import { after, before, describe, it } from "node:test";
import { join } from "node:path";
import { assert, assertEquals } from "@std/assert";
import { until } from "../../tools/testing/until.ts";
import {
  dashboardPanels,
  expressionsOf,
  figuresAsked,
  WRITTEN_BY_JOBS,
} from "../../tools/testing/figures.ts";
import { ROOT } from "@gold-partner/dev";
import { openClient } from "../client/stack_client_fixture.ts";
import { Stack } from "../contract/stack_fixture.ts";
import { openReceiver } from "../partner_cli/cli_fixture.ts";
import { ALERTS, startHaproxy, TestPrometheus } from "./prometheus_fixture.ts";

const PANELS = dashboardPanels(join(ROOT, "deploy/grafana/dashboards/service.json"));
const PAUSE_MS = 200;

describe("the queries of the service's dashboard and of the alarms, while a partner trades through Envoy", () => {
  const stops: (() => Promise<void>)[] = [];
  let prometheus: TestPrometheus;
  before(async () => {
    const stack = await Stack.open({ envoy: true, fresh: true });
    stops.push(() => stack.close());
    const [receiver, haproxy] = [await openReceiver(stack), await startHaproxy()];
    stops.push(() => receiver.stop(), haproxy.stop);
    prometheus = await TestPrometheus.start([
      { socketPath: stack.socket("server_operations.sock"), path: "/metrics" },
      { socketPath: stack.socket("envoy_admin.sock"), path: "/stats/prometheus" },
    ], [haproxy.metrics]);
    stops.push(() => prometheus.stop());
    const client = await openClient(stack.running.credentials);
    await client.fundSandbox({ amount_sar: "100000" });
    await client.createWithdrawal({ amount_sar: "100" });
    let trading = true;
    const traded = (async () => {
      while (trading) {
        for (const side of ["buy", "sell"] as const) {
          const { quote_id } = await client.createQuote({ side, gold_grams: "0.5" });
          await client.placeOrder({ quote_id });
        }
        await client.createQuote({ side: "buy", gold_grams: "0.5" });
        await new Promise((resolve) => setTimeout(resolve, PAUSE_MS));
      }
    })();
    stops.push(async () => {
      trading = false;
      await traded;
      client.close();
    });
  });
  after(async () => {
    for (const stop of stops.reverse()) await stop();
  });

  const expectNumbers = async (expressions: readonly string[]) => {
    let missing: readonly string[] = [];
    await until(
      async () => {
        missing = await prometheus.withoutNumber(expressions);
        return missing.length === 0;
      },
      () => missing,
      60_000,
    );
  };

  it("give a number in every panel", async () => {
    const expressions = expressionsOf(PANELS);
    assert(expressions.length > 30, `${expressions.length} expressions`);
    await expectNumbers(expressions);
  });

  it("select series that exist, in every alarm, and none has an error", async () => {
    const asked = figuresAsked(ROOT, ALERTS, []);
    if (typeof asked === "string") throw new Error(asked);
    const selectors = asked.filter(({ name }) => !WRITTEN_BY_JOBS.includes(name)).map(({ name, labels }) =>
      `count(${name}{${
        Object.entries(labels).map(([label, value]) => `${label}=${JSON.stringify(value)}`).join()
      }})`
    );
    assert(selectors.length > 25, `${selectors.length} selectors`);
    await expectNumbers(selectors);
    await until(async () => (await prometheus.rules()).every(({ health }) => health !== "unknown"));
    const rules = await prometheus.rules();
    assert(rules.length > 25, `${rules.length} rules`);
    assertEquals(rules.filter(({ health }) => health !== "ok"), []);
  });

  it("are reported if they give nothing or no number", async () => {
    const none = ["sum(gold_no_such_total)", "vector(0) * NaN", "gold_vault_free_grams / 0 * 0"];
    assertEquals(await prometheus.withoutNumber([...none, "vector(0)"]), none);
  });
});

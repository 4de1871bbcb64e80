import { PostgresPair } from "@gold-partner/server/testing";
import { after, before, describe, it } from "node:test";
import { until } from "../../../../../tools/testing/until.ts";
import { assertRefused, type TestOperator, testOperator } from "../fixture.ts";

describe("gold, with a synchronous standby", () => {
  let pair: PostgresPair;
  let operator: TestOperator;
  before(async () => {
    pair = await PostgresPair.start();
    operator = await testOperator({ server: await pair.server() });
  });
  after(async () => {
    await operator?.stop();
    await pair.stop();
  });

  it("ends with 3 and outcome_unknown if the wait for the standby was cancelled", async () => {
    const { partner } = operator.service;
    await pair.crash("second");
    const running = operator.gold("partner", "suspend", partner.clientId, "--yes", "--json");
    const root = pair.sql("first");
    await until(async () => {
      const cancelled = await root`
        select pg_cancel_backend(pid) from pg_stat_activity
        where wait_event = 'SyncRep' and application_name = 'gold'`;
      return cancelled.length > 0;
    });
    const run = await running;
    await pair.run("second");
    await pair.untilStreaming();
    assertRefused(run, 3, "wait for the synchronous standby was cancelled");
  });
});

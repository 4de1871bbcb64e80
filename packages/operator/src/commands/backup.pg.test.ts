import { after, before, describe, it } from "node:test";
import { assertEquals } from "@std/assert";
import { assertRefused as refused, itemsOf, type TestOperator, testOperator } from "./fixture.ts";

describe("gold backup check", () => {
  let operator: TestOperator;
  before(async () => void (operator = await testOperator()));
  after(() => operator.stop());

  const NO_ARCHIVE = {
    subject: "archive",
    detail: "Postgres archives no WAL: archive_mode or archive_command is not set",
  };
  const check = async (report?: unknown) => {
    const file = report === undefined
      ? []
      : ["--info", await operator.write("info.json", JSON.stringify(report))];
    const { exit, json } = await operator.gold("backup", "check", ...file, "--json");
    return { exit, json, items: itemsOf(json) };
  };
  const stanza = (stop: number, more = {}) => [{
    name: "gold",
    status: { code: 0, message: "ok" },
    backup: [{ label: "20261123-120000F", error: false, timestamp: { stop } }],
    ...more,
  }];
  const nowSeconds = Math.floor(Date.now() / 1000);

  it("reports a database without an archive as a defect, because no restore can reach an instant", async () => {
    const { exit, json, items } = await check();
    assertEquals([exit, json.restorable_until, json.age_seconds, items], [4, null, null, [NO_ARCHIVE]]);
  });

  it("accepts a recent backup in pgBackRest's report, and reports an old or missing one", async () => {
    assertEquals((await check(stanza(nowSeconds - 60))).items, [NO_ARCHIVE]);
    const old = nowSeconds - 27 * 3600;
    assertEquals((await check(stanza(old))).items.slice(1), [{
      subject: "20261123-120000F",
      detail: `the newest backup ended at ${new Date(old * 1000).toISOString()}; the limit is 93600 s`,
    }]);
    const broken = stanza(nowSeconds, { backup: [], status: { code: 2, message: "no valid backups" } });
    assertEquals((await check(broken)).items.slice(1), [
      { subject: "gold", detail: "no valid backups" },
      { subject: "gold", detail: "there is no complete backup" },
    ]);
  });

  it("rejects a malformed report and a malformed age", async () => {
    for (const text of ["", "{}", "[]", '[{"name":"gold"}]']) {
      const file = await operator.write("wrong.json", text);
      refused(await operator.gold("backup", "check", "--info", file), 2, "--info");
    }
    refused(await operator.gold("backup", "check", "--max-age", "5x"), 2, "--max-age");
  });
});

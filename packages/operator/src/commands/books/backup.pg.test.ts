import { after, before, describe, it } from "node:test";
import { assertEquals } from "@std/assert";
import { assertRefused as refused, itemsOf, type TestOperator, testOperator } from "../fixture.ts";

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

  it("reports a database without a WAL archive as a defect, because no restore to an instant is possible", async () => {
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

  it("writes the end of the newest backup for the node exporter, and 0 without a backup", async () => {
    const metricOf = async (report: unknown) => {
      const info = await operator.write("info.json", JSON.stringify(report));
      await operator.gold("backup", "check", "--info", info, "--metrics", operator.path("gold.prom"));
      return (await operator.read("gold.prom")).trim().split("\n").at(-1);
    };
    assertEquals(await metricOf(stanza(1790000000)), "gold_base_backup_ended_seconds 1790000000");
    const [sound] = stanza(1790000000)[0]!.backup;
    const failed = { ...sound!, error: true, timestamp: { stop: 1790000060 } };
    assertEquals(
      await metricOf(stanza(0, { backup: [sound, failed] })),
      "gold_base_backup_ended_seconds 1790000000",
    );
    assertEquals(await metricOf(stanza(0, { backup: [] })), "gold_base_backup_ended_seconds 0");
    refused(await operator.gold("backup", "check", "--metrics", operator.path("gold.prom")), 2, "--info");
  });

  it("rejects a malformed report and a malformed age", async () => {
    const ofBackup = (backup: unknown) => JSON.stringify(stanza(0, { backup: [backup] }));
    const backups = [null, { label: "a" }, { label: "a", timestamp: { stop: "soon" } }].map(ofBackup);
    // The database of another stanza may have backups, although this one has none.
    const two = JSON.stringify([...stanza(nowSeconds), ...stanza(nowSeconds, { name: "other" })]);
    for (const text of ["", "{}", "[]", "[null]", '[{"name":"gold"}]', ...backups, two]) {
      const file = await operator.write("wrong.json", text);
      refused(await operator.gold("backup", "check", "--info", file), 2, "--info");
    }
    refused(await operator.gold("backup", "check", "--max-age", "5x"), 2, "--max-age");
  });
});

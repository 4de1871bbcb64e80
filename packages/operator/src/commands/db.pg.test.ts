import { describe, it } from "node:test";
import { assertEquals } from "@std/assert";
import { testPostgres } from "@gold-partner/dev";
import { runGold } from "../gold_trial.ts";
import { assertRefused as refused, trialOperator } from "./trial.ts";

describe("gold db", () => {
  it("migrate settles a new database once: its environment is for good, and its token key is made once", async () => {
    const server = await testPostgres();
    const service = await trialOperator();
    const DATABASE_URL = await server.createDatabase();
    const { pepperSource, sealingKeySource } = service.service.config;
    const run = (...argv: string[]) => runGold([...argv, "--json"], { env: { DATABASE_URL } });
    const migrate = (env: string, url: string) =>
      run(
        "db",
        "migrate",
        "--env",
        env,
        "--base-url",
        url,
        "--pepper",
        pepperSource,
        "--sealing-key",
        sealingKeySource,
      );

    const early = await run("db", "status");
    assertEquals([early.exit, early.problem.code], [3, "not_migrated"]);
    assertEquals((await run("db", "migrate")).json, { migrated: true });
    assertEquals((await run("db", "status")).problem.code, "not_settled");
    for (const _ of [1, 2]) assertEquals((await migrate("sandbox", "https://one.example")).exit, 0);
    assertEquals((await run("db", "status")).json, {
      environment: "sandbox",
      base_url: "https://one.example",
    });
    refused(await migrate("production", "https://one.example"), 1, "belongs to sandbox");
    assertEquals((await migrate("sandbox", "https://two.example")).exit, 0);
    assertEquals((await run("db", "status")).json.base_url, "https://two.example");
    refused(await run("db", "migrate", "--env", "sandbox"), 2, "--base-url");
    assertEquals((await run("ledger", "verify")).json.clean, true);
    await service.stop();
    await server.stop();
  });
});

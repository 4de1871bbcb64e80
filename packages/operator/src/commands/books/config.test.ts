import { describe, it } from "node:test";
import { SETTINGS } from "@gold-partner/server";
import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { runGold } from "../../gold_fixture.ts";
import { assertRefused as refused, itemsOf } from "../fixture.ts";

const GOOD = {
  DATABASE_URL: "postgres://gold_api:hunter2@127.0.0.1/gold",
  GOLD_ENV: "sandbox",
  PUBLIC_BASE_URL: "https://api.example",
  LISTEN: "127.0.0.1:8080",
  PROXY_SECRET: "correct-horse-battery-staple-long-enough",
  OPERATIONS_LISTEN: "unix:ops.sock",
  PEPPER_SOURCE: "file:pepper",
  SEALING_KEY_SOURCE: "command:keys gold",
};

describe("gold config explain", () => {
  const explain = (env: Record<string, string>, ...argv: string[]) =>
    runGold(["config", "explain", ...argv], { env });

  it("names a variable that looks like a misspelt setting", async () => {
    const { exit, json } = await explain({ LANE: "3" }, "--json");
    assertEquals([exit, json.misspelt], [0, [
      "LANE is not a setting and has no effect. Did you mean LANES?",
    ]]);
    const none = await explain({ LANES: "3" }, "--json");
    assertEquals("misspelt" in none.json, false);
  });

  it("lists every setting with its meaning, default and value, without calling the database", async () => {
    const { exit, json } = await explain(GOOD, "--json");
    assertEquals([exit, json.valid], [0, true]);
    const items = itemsOf(json);
    assertEquals(items.map(({ name }) => name), SETTINGS.map(({ name }) => name));
    const lanes = items.find(({ name }) => name === "LANES");
    assertEquals([lanes!.value, lanes!.default, lanes!.fault], [null, "2", null]);
    const defaultOfHa = async (env: Record<string, string>) =>
      itemsOf((await explain(env, "--json")).json).find(({ name }) => name === "HA")!.default;
    assertEquals(await defaultOfHa(GOOD), "off");
    assertEquals(await defaultOfHa({ ...GOOD, GOLD_ENV: "production" }), "on");
    const base = items.find(({ name }) => name === "PUBLIC_BASE_URL");
    assertEquals([base!.value, base!.default], ["https://api.example", null]);
    assert(items.every(({ meaning }) => (meaning as string).length > 10));
  });

  it("checks the settings that a process of the given role needs", async () => {
    const { DATABASE_URL, GOLD_ENV, PUBLIC_BASE_URL, OPERATIONS_LISTEN, SEALING_KEY_SOURCE } = GOOD;
    const least = { DATABASE_URL, GOLD_ENV, PUBLIC_BASE_URL, OPERATIONS_LISTEN, SEALING_KEY_SOURCE };
    assertEquals((await explain(least, "--role", "delivery", "--check")).exit, 0);
    for (const role of ["api", "all"]) refused(await explain(least, "--role", role, "--check"), 2, "LISTEN");
    refused(await explain(least, "--role", "other"), 2, "--role");
  });

  it("shows no secret, whether the value is valid or invalid", async () => {
    for (const env of [GOOD, { ...GOOD, DATABASE_URL: "hunter2", PROXY_SECRET: "battery" }]) {
      const { out } = await explain(env);
      assert(!/hunter2|battery/.test(out), out);
      assertStringIncludes(out, "(hidden)");
    }
  });

  it("lists all faults, each beside its setting, and exits with 2 only with --check", async () => {
    const bad = { ...GOOD, GOLD_ENV: "staging", LANES: "9" };
    const { exit, json } = await explain(bad, "--json");
    assertEquals([exit, json.valid], [0, false]);
    const faulty = itemsOf(json).filter(({ fault }) => fault !== null);
    assertEquals(faulty.map(({ name }) => name), ["GOLD_ENV", "LANES", "HEADS_FILE", "OPERATOR_KEYS"]);
    assertStringIncludes(faulty[0]!.fault as string, "staging");
    const checked = await explain(bad, "--check");
    refused(checked, 2, "4 fault(s)");
    assertStringIncludes(checked.problem.detail, "LANES");
    assertEquals((await explain(GOOD, "--check")).exit, 0);
    assertEquals(itemsOf((await explain({}, "--json")).json).every(({ value }) => value === null), true);
  });
});

import { rm, stat } from "node:fs/promises";
import { afterEach, describe, it } from "node:test";
import { testPostgres } from "@gold-partner/dev/postgres";
import { assertEquals, assertMatch } from "@std/assert";
import { parseOperatorKeys } from "@gold-partner/approvals";
import { newSoftwareKey } from "@gold-partner/approvals/testing";
import { runGold } from "../../gold_fixture.ts";
import { assertRefused as refused, itemsOf, type TestOperator, testOperator } from "../fixture.ts";

describe("gold db", () => {
  // Stop everything even if an assertion failed. Otherwise the connections would keep the test process alive.
  const open: { stop(): Promise<void> }[] = [];
  const keep = <T extends { stop(): Promise<void> }>(opened: T): T => (open.push(opened), opened);
  afterEach(async () => {
    for (const each of open.splice(0).reverse()) await each.stop();
  });

  /** Runs `gold db migrate` for the operator's deployment, with these options and more. */
  const migrationOf =
    ({ service: { config, books } }: TestOperator, ...options: string[]) => (...more: string[]) =>
      runGold([
        ...["db migrate --env sandbox --base-url https://localhost:8443 --pepper", config.pepperSource],
        ...["--sealing-key", config.sealingKeySource, ...options, ...more],
      ], { env: { DATABASE_URL: books.url } });

  it("migrate sets the complete payout account or nothing, and audits each change once", async () => {
    const operator = keep(await testOperator());
    const { sql, url } = operator.service.books;
    const migrate = (account: Record<string, string>) => {
      const options = Object.entries(account).flatMap(([name, value]) => [`--payout-${name}`, value]);
      return runGold(["db migrate", ...options], { env: { DATABASE_URL: url } });
    };
    const account = { name: "Example Gold House", iban: "SA9480000000000000000001", bic: "EXAMSARI" };
    refused(await migrate({ name: account.name, iban: account.iban }), 2, "--payout-bic");
    refused(await migrate({ ...account, iban: "SA9480000000000000000002" }), 2, "--payout-iban");
    refused(await migrate({ ...account, bic: "SHORT" }), 2, "--payout-bic");
    refused(await migrate({ ...account, name: " " }), 2, "--payout-name");
    for (const _ of [1, 2]) assertEquals((await migrate(account)).exit, 0);
    const [settled] = await sql`select payout_name, payout_iban, payout_bic from gold.deployment`;
    assertEquals({ ...settled }, {
      payout_name: account.name,
      payout_iban: account.iban,
      payout_bic: account.bic,
    });
    const noted = await sql`select subject from gold.audit where action = 'deployment.payout'`;
    assertEquals(noted.map(({ subject }) => subject), [account.iban]);
  });

  it("migrate rejects a --flood below four times the highest partner rate", async () => {
    const operator = keep(await testOperator());
    const { service } = operator;
    const migrate = migrationOf(operator);
    refused(await migrate("--flood", "7999"), 1, "a partner has a rate of 2000/s");
    assertEquals((await migrate("--flood", "8000")).exit, 0);
    assertEquals((await migrate()).exit, 0);
    refused(await operator.gold("partner", "set", service.partner.clientId, "--rate", "2001"), 1, "8000/s");
    refused(await migrate("--flood", "many"), 2, "--flood");
  });

  it("migrate stores webhook ports and how long attempts are kept, and audits each change once", async () => {
    const operator = keep(await testOperator());
    const { service } = operator;
    const migrate = migrationOf(operator, "--loopback-receivers");
    const terms = async () => {
      const [row] = await service.books.sql`
        select webhook_ports, attempts_kept_days, (select count(*)::int from gold.audit where action = 'deployment.settle') as notes
        from gold.deployment`;
      return Object.values(row!);
    };
    assertEquals((await migrate()).exit, 0);
    const [ports, kept, notes] = await terms();
    assertEquals([ports, kept], [[443, 8443], 90]);
    const given = ["--webhook-port", "9443", "--webhook-port", "443", "--attempts-kept", "30d"];
    // The last call gives no setting: the kept values do not change.
    for (const again of [given, [...given, "--webhook-port", "9443"], []]) {
      assertEquals((await migrate(...again)).exit, 0);
      assertEquals(await terms(), [[443, 9443], 30, notes + 1]);
    }
    const { json } = await runGold(["db status --json"], { env: { DATABASE_URL: service.books.url } });
    assertEquals([json.webhook_ports, json.attempts_kept_days], [[443, 9443], 30]);
  });

  it("migrate checks all options before it changes anything", async () => {
    const operator = keep(await testOperator());
    const { service } = operator;
    const { sql, url } = service.books;
    const given: Record<string, string> = {
      env: "sandbox",
      "base-url": "https://localhost:8443",
      pepper: service.config.pepperSource,
      "sealing-key": service.config.sealingKeySource,
      flood: "20000",
    };
    const migrate = (changes: Record<string, string>, ...more: string[]) =>
      runGold([
        ...["db", "migrate", ...more],
        ...Object.entries({ ...given, ...changes }).map(([name, value]) => `--${name}=${value}`),
      ], { env: { DATABASE_URL: url } });
    // Create a function that a migration would drop. If it still exists, no migration ran.
    await sql`create function gold.from_before() returns int language sql as 'select 1'`;
    const empty = await operator.write("empty", "\n");
    for (
      const [words, changes, ...more] of [
        ["--env", { env: "staging" }],
        ["--base-url", { "base-url": "https://localhost:8443/" }],
        ["--base-url", { "base-url": "http://localhost:8443" }],
        ["--pepper", { pepper: `file:${empty}` }],
        ["--pepper", { pepper: "secret" }],
        ["--sealing-key", { "sealing-key": `file:${operator.path("nowhere")}` }],
        ["--sealing-key", { "sealing-key": "command:false" }],
        ["--loopback-receivers", { env: "production" }, "--loopback-receivers"],
        ["--rate", { burst: "5" }],
        ["--webhook-port", { "webhook-port": "0" }],
        ["--webhook-port", { "webhook-port": "65536" }],
        ["at most 32", {}, ...Array.from({ length: 33 }, (_, n) => `--webhook-port=${n + 1}`)],
        ["--attempts-kept", { "attempts-kept": "6d" }],
        ["--attempts-kept", { "attempts-kept": "3651d" }],
        ["--attempts-kept", { "attempts-kept": "169h" }],
        ["--attempts-kept", { "attempts-kept": "unlimited" }],
      ] as const
    ) refused(await migrate(changes, ...more), 2, words);
    const another = await migrate({ env: "production" });
    refused(another, 1, "This is a sandbox database; got --env production.");
    const untouched = await sql`select from pg_proc where proname = 'from_before'`;
    assertEquals(untouched.length, 1);
    assertEquals((await migrate({})).exit, 0);
    assertEquals((await sql`select from pg_proc where proname = 'from_before'`).length, 0);
  });

  it("migrate sets a new database's environment permanently, and creates its token key once", async () => {
    const server = keep(await testPostgres());
    const service = keep(await testOperator());
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
    const { requests_kept_since, deployment_id, ...status } = (await run("db", "status")).json;
    assertMatch(`${deployment_id}`, /^sandbox-[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/);
    assertEquals([requests_kept_since, status], [null, {
      environment: "sandbox",
      base_url: "https://one.example",
      webhook_ports: [443, 8443],
      attempts_kept_days: 90,
    }]);
    // Other tests create roles on the same server at the same time.
    const { items } = (await run("audit", "full")).json;
    const findings = (items ?? []) as { rule: string }[];
    assertEquals(findings.filter(({ rule }) => rule !== "role_is_expected"), []);
    refused(await migrate("production", "https://one.example"), 1, "This is a sandbox database");
    const wrong = ["--pepper", sealingKeySource, "--sealing-key", sealingKeySource];
    const other = ["db", "migrate", "--env", "sandbox", "--base-url", "https://other.example", ...wrong];
    refused(await run(...other), 1, `${sealingKeySource} gives the pepper`);
    assertEquals((await run("db", "status")).json.base_url, "https://one.example");
    assertEquals((await migrate("sandbox", "https://two.example")).exit, 0);
    assertEquals((await run("db", "status")).json.base_url, "https://two.example");
    refused(await run("db", "migrate", "--env", "sandbox"), 2, "--base-url");
    for (const alone of [["--flood", "9000"], ["--webhook-port", "9443"], ["--attempts-kept", "30d"]]) {
      refused(await run("db", "migrate", ...alone), 2, "--env");
    }
    assertEquals((await run("ledger", "verify")).json.clean, true);
    refused(await run("db", "new-id"), 2, "Run this only in a copy");
    const made = (await run("db", "new-id", "--yes")).json;
    assertEquals([made.earlier_id, made.deployment_id === deployment_id], [deployment_id, false]);
    assertEquals((await run("db", "status")).json.deployment_id, made.deployment_id);
    const keys = await Promise.all(
      ["amal", "badr"].map(async (login) => `${login} ${(await newSoftwareKey()).publicKey.text}\n`),
    );
    const lines = itemsOf(made).map(({ line }) => `${line}\n`);
    const { deployment, earlier } = await parseOperatorKeys([...lines, ...keys].join(""));
    assertEquals([deployment.id, earlier.map(({ id }) => id)], [made.deployment_id, [deployment_id]]);
    assertEquals(deployment.baseUrl, "https://two.example");
  });

  it("migrate writes the places of both keys into the file of GOLD_KEYS, and stores none in the database", async () => {
    const operator = keep(await testOperator());
    const { service } = operator;
    const { pepperSource, sealingKeySource } = service.config;
    const GOLD_KEYS = operator.path("new_keys.json");
    const migrate = (...more: string[]) =>
      runGold([
        ...["db migrate --env sandbox --base-url https://localhost:8443 --flood 20000", ...more],
      ], { env: { DATABASE_URL: service.books.url, GOLD_KEYS } });
    refused(await migrate(), 2, `${GOLD_KEYS} does not exist`);
    refused(await migrate("--pepper", "file:pepper", "--sealing-key", sealingKeySource), 2, "absolute path");
    await operator.write("new_keys.json", "[]");
    refused(await migrate("--pepper", pepperSource, "--sealing-key", sealingKeySource), 2, "one JSON object");
    await rm(GOLD_KEYS);
    const first = await migrate("--pepper", pepperSource, "--sealing-key", sealingKeySource);
    assertEquals([first.exit, first.err], [0, ""]);
    assertEquals(JSON.parse(await operator.read("new_keys.json")), {
      pepper: pepperSource,
      sealing_key: sealingKeySource,
    });
    assertEquals((await stat(GOLD_KEYS)).mode & 0o777, 0o600);
    assertEquals((await migrate()).exit, 0);
    const [row] = await service.books.sql`
      select pepper_source, sealing_key_source, (select count(*)::int from gold.audit where detail::text like '%file:%') as notes
      from gold.deployment`;
    assertEquals({ ...row }, { pepper_source: null, sealing_key_source: null, notes: 0 });
  });
});

import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, it } from "node:test";
import { assertEquals, assertStringIncludes, assertThrows } from "@std/assert";
import { ConfigError, readConfig, readDeliveryConfig } from "./config.ts";
import { createTestAuthority } from "../../testing/certificates.ts";
import { SETTINGS } from "./settings.ts";

const GOOD = {
  DATABASE_URL: "postgres://gold_api:secret@127.0.0.1/gold",
  GOLD_ENV: "sandbox",
  PUBLIC_BASE_URL: "https://api.example:8443",
  LISTEN: "unix:/run/gold/service.sock",
  OPERATIONS_LISTEN: "127.0.0.1:9090",
  PEPPER_SOURCE: "file:/etc/gold/pepper",
  SEALING_KEY_SOURCE: "command:vault read gold",
};

const PRODUCTION = {
  GOLD_ENV: "production",
  HEADS_FILE: "/var/lib/gold/heads.json",
  OPERATOR_KEYS: "/etc/gold/operator_keys",
};

function faultsOf(changes: Record<string, string | undefined>): readonly string[] {
  return assertThrows(() => readConfig({ ...GOOD, ...changes }), ConfigError).faults;
}

const WEBHOOKS = {
  webhookRetries: [5, 30, 120, 600, 1800, 3600, 7200, 14_400, 28_800, 43_200, 72_000, 86_400],
  webhookCa: undefined,
  webhookDns: [],
};

describe("readConfig()", () => {
  it("reads every setting into a frozen object", () => {
    const config = readConfig(GOOD);
    assertEquals(config, {
      role: "all",
      environment: "sandbox",
      publicBaseUrl: "https://api.example:8443",
      docsUrl: undefined,
      listen: { kind: "unix", path: "/run/gold/service.sock" },
      proxySecret: undefined,
      operationsListen: { kind: "tcp", host: "127.0.0.1", port: 9090 },
      metricsListen: undefined,
      databaseUrl: GOOD.DATABASE_URL,
      deliveryDatabaseUrl: GOOD.DATABASE_URL,
      tickerDatabaseUrl: GOOD.DATABASE_URL,
      priceSourceAllow: { hosts: [], ranges: [] },
      drainSeconds: 0,
      lanes: 2,
      standby: false,
      headsFile: undefined,
      operatorKeys: undefined,
      pepperSource: "file:/etc/gold/pepper",
      sealingKeySource: "command:vault read gold",
      ...WEBHOOKS,
    });
    assertEquals(Object.isFrozen(config), true);
  });

  it("reads a URL for each login, and refuses a broken one by its own name", () => {
    const [delivery, ticker] = ["gold_delivery", "gold_ticker"].map((login) =>
      `postgres://${login}@127.0.0.1/gold`
    );
    const config = readConfig({ ...GOOD, DELIVERY_DATABASE_URL: delivery, TICKER_DATABASE_URL: ticker });
    assertEquals(
      [config.databaseUrl, config.deliveryDatabaseUrl, config.tickerDatabaseUrl],
      [GOOD.DATABASE_URL, delivery, ticker],
    );
    const { DATABASE_URL: _, ...rest } = GOOD;
    assertEquals(
      readDeliveryConfig({ ...rest, DELIVERY_DATABASE_URL: delivery }).deliveryDatabaseUrl,
      delivery,
    );
    for (const name of ["DELIVERY_DATABASE_URL", "TICKER_DATABASE_URL"]) {
      const error = assertThrows(() => readConfig({ ...GOOD, [name]: "http://x" }), ConfigError);
      assertEquals(error.faults.map((fault) => fault.split(" ")[0]), [name]);
    }
    const none = assertThrows(() => readConfig(rest), ConfigError);
    assertEquals(none.faults.map((fault) => fault.split(" ")[0]), ["DATABASE_URL"]);
  });

  it("reads only the settings of the role delivery, and requires no others", () => {
    const { DATABASE_URL, GOLD_ENV, PUBLIC_BASE_URL, OPERATIONS_LISTEN, SEALING_KEY_SOURCE } = GOOD;
    const needed = { DATABASE_URL, GOLD_ENV, PUBLIC_BASE_URL, OPERATIONS_LISTEN, SEALING_KEY_SOURCE };
    const config = readDeliveryConfig(needed);
    assertEquals(config, {
      environment: "sandbox",
      publicBaseUrl: "https://api.example:8443",
      operationsListen: { kind: "tcp", host: "127.0.0.1", port: 9090 },
      metricsListen: undefined,
      deliveryDatabaseUrl: GOOD.DATABASE_URL,
      standby: false,
      headsFile: undefined,
      sealingKeySource: "command:vault read gold",
      ...WEBHOOKS,
    });
    assertEquals(Object.isFrozen(config), true);
    const { faults } = assertThrows(() => readDeliveryConfig({}), ConfigError);
    const named = faults.map((fault) => fault.split(" ")[0]!).sort();
    assertEquals(named, [...Object.keys(needed), "HEADS_FILE"].sort());
    const said = SETTINGS.filter(({ meaning }) => !meaning.endsWith("not for --role delivery"));
    assertEquals(
      said.map(({ name }) => name).sort(),
      [
        ...named,
        "DELIVERY_DATABASE_URL",
        "HA",
        "METRICS_LISTEN",
        "STOP_WITH_STDIN",
        "WEBHOOK_CA",
        "WEBHOOK_DNS",
        "WEBHOOK_RETRIES",
      ].sort(),
    );
  });

  it("accepts only IP:PORT or off for the listener that other machines may reach", () => {
    const read = (METRICS_LISTEN: string) => readConfig({ ...GOOD, METRICS_LISTEN }).metricsListen;
    assertEquals(read("off"), undefined);
    assertEquals(read("0.0.0.0:9466"), { kind: "tcp", host: "0.0.0.0", port: 9466 });
    assertEquals(read("[::]:9466"), { kind: "tcp", host: "::", port: 9466 });
    for (
      const text of ["", "9466", "localhost:9466", "0.0.0:9466", "0.0.0.0:65536", "[0.0.0.0]:1", "unix:/a"]
    ) {
      assertEquals(faultsOf({ METRICS_LISTEN: text }), [
        `METRICS_LISTEN must be IP:PORT, such as 0.0.0.0:9466 or [::]:9466, or off; got "${text}".`,
      ]);
    }
  });

  it("reports all faults at once, each with the setting's name", () => {
    const nothing = assertThrows(() => readConfig({}), ConfigError).faults;
    const needed = SETTINGS.filter((setting) => setting.default === undefined).map(({ name }) => name);
    assertEquals(nothing.map((fault) => fault.split(" ")[0]!).sort(), [...needed].sort());
    const several = faultsOf({
      GOLD_ENV: "staging",
      LANES: "0",
      PUBLIC_BASE_URL: "http://x",
      LISTEN: "0.0.0.0:80",
    });
    assertEquals(several.map((fault) => fault.split(" ")[0]!).sort(), [
      "GOLD_ENV",
      "HEADS_FILE",
      "LANES",
      "LISTEN",
      "OPERATOR_KEYS",
      "PUBLIC_BASE_URL",
    ]);
  });

  it("never contains a secret in a fault", () => {
    const faults = faultsOf({
      PROXY_SECRET: "hunter2hunter2",
      LISTEN: "127.0.0.1:80",
      PEPPER_SOURCE: "c0ffee",
    });
    assertEquals(/hunter2|c0ffee/.test(faults.join()), false);
  });

  it("accepts only one spelling of the base URL, which partners sign", () => {
    const good = [
      "https://api.example",
      "https://api.example:8443",
      "https://127.0.0.1:8443",
      "https://[::1]:8443",
    ];
    for (const url of good) assertEquals(readConfig({ ...GOOD, PUBLIC_BASE_URL: url }).publicBaseUrl, url);
    const bad = [
      "",
      "api.example",
      "http://api.example",
      "HTTPS://api.example",
      "https://API.example",
      "https://api.example/",
      "https://api.example/v1",
      "https://api.example:443",
      "https://api.example:08443",
      "https://api.example?x",
      "https://api.example#x",
      "https://user@api.example",
      "https://:@api.example",
      " https://api.example",
      "https://api.example ",
      "https:api.example",
      "https:/api.example",
      "https:\\\\api.example",
      "https://api%2eexample",
      "https://b\u00fccher.example",
      "https://127.1:8443",
      "https://[0:0:0:0:0:0:0:1]",
      "https://api.example:99999",
      "ftp://api.example",
    ];
    for (const url of bad) {
      const faults = faultsOf({ PUBLIC_BASE_URL: url });
      assertEquals(faults.length, 1, url);
      assertStringIncludes(faults[0]!, "PUBLIC_BASE_URL");
    }
  });

  it("accepts DOCS_URL without a slash at its end, because the path of a page follows", () => {
    for (
      const url of ["https://docs.gold.example", "https://gold.example/docs", "http://localhost:9445/docs"]
    ) {
      assertEquals(readConfig({ ...GOOD, DOCS_URL: url }).docsUrl, url);
    }
    for (
      const url of [
        "gold.example",
        "https://gold.example/",
        "https://gold.example/?a",
        "https://x/#y",
        "ftp://x",
        "/docs",
      ]
    ) {
      assertStringIncludes(faultsOf({ DOCS_URL: url }).join(), "DOCS_URL must be a URL such as");
    }
  });

  it("accepts only a Unix socket, 127.0.0.1 or [::1] for LISTEN", () => {
    const secret = { PROXY_SECRET: "s".repeat(32) };
    const listen = (LISTEN: string) => readConfig({ ...GOOD, ...secret, LISTEN }).listen;
    assertEquals(listen("127.0.0.1:8080"), { kind: "tcp", host: "127.0.0.1", port: 8080 });
    assertEquals(listen("[::1]:8080"), { kind: "tcp", host: "::1", port: 8080 });
    const refused = [
      "0.0.0.0:80",
      "[::]:80",
      "localhost:80",
      ":80",
      "80",
      "127.0.0.2:80",
      "unix:",
      "10.0.0.1:80",
    ];
    for (const LISTEN of [...refused, "127.0.0.1:99999", "127.0.0.1:", "127.0.0.1:80/x"]) {
      assertStringIncludes(faultsOf({ ...secret, LISTEN })[0]!, "LISTEN must be", LISTEN);
    }
  });

  it("rejects TCP in production, even with a PROXY_SECRET", () => {
    const faults = faultsOf({ ...PRODUCTION, LISTEN: "127.0.0.1:80", PROXY_SECRET: "s".repeat(64) });
    assertEquals(faults.length, 1);
    assertStringIncludes(faults[0]!, "Unix socket in production");
    assertEquals(readConfig({ ...GOOD, ...PRODUCTION }).environment, "production");
  });

  const cases = [
    ["HEADS_FILE", "headsFile", "the file of heads"],
    ["OPERATOR_KEYS", "operatorKeys", "the file with the operators' first keys"],
  ] as const;
  for (const [name, member, file] of cases) {
    it(`requires ${name} in production, or the explicit choice off`, () => {
      const inProduction = { ...GOOD, ...PRODUCTION };
      assertEquals(readConfig(inProduction)[member], PRODUCTION[name]);
      assertEquals(readConfig({ ...inProduction, [name]: "off" })[member], undefined);
      assertEquals(readConfig(GOOD)[member], undefined);
      assertEquals(readConfig({ ...GOOD, [name]: PRODUCTION[name] })[member], PRODUCTION[name]);
      assertStringIncludes(
        faultsOf({ ...PRODUCTION, [name]: undefined }).join(),
        `${name} is missing: Absolute path of`,
      );
      for (const relative of ["file.json", ""]) {
        assertStringIncludes(
          faultsOf({ [name]: relative })[0]!,
          `${name} must be the absolute path of ${file}, or off; got "${relative}"`,
        );
      }
    });
  }

  it("requires a standby by default in production, and only in the sandbox not", () => {
    const inProduction = { ...GOOD, ...PRODUCTION };
    assertEquals(readConfig(inProduction).standby, true);
    assertEquals(readDeliveryConfig(inProduction).standby, true);
    assertEquals(readConfig({ ...inProduction, HA: "off" }).standby, false);
    assertEquals(readConfig(GOOD).standby, false);
    assertEquals(readConfig({ ...GOOD, HA: "on" }).standby, true);
  });

  const TCP = { LISTEN: "127.0.0.1:80" };
  /** For each setting, what the fault says and the values that get it. `others` are further settings. */
  const REFUSED: [says: string, name: string, values: (string | undefined)[], others?: typeof TCP][] = [
    ["HA", "HA", ["yes", ""]],
    ["LANES", "LANES", ["0", "9", "-1", "1.5", "two", "01"]],
    ["DRAIN_SECONDS", "DRAIN_SECONDS", ["", "-1", "1.5", "601", "1000", "010", "5s"]],
    ["DATABASE_URL", "DATABASE_URL", ["", " ", "gold", "mysql://x/y", "127.0.0.1:5432"]],
    ...["PEPPER_SOURCE", "SEALING_KEY_SOURCE"].map((name): (typeof REFUSED)[number] => [
      name,
      name,
      ["", "file:", "command:", "/etc/pepper", "0".repeat(64), "https://x"],
    ]),
    ["PROXY_SECRET", "PROXY_SECRET", [undefined, "", "s".repeat(31)], TCP],
    ['WEBHOOK_RETRIES has "2x"', "WEBHOOK_RETRIES", ["5s 2x"]],
    ["WEBHOOK_RETRIES must be a list", "WEBHOOK_RETRIES", [""]],
    ["(https://api.example)", "PUBLIC_BASE_URL", ["https://API.example:443/"]],
  ];
  for (const [says, name, values, others] of REFUSED) {
    it(`refuses other values of ${name} with a fault that says ${says}`, () => {
      for (const value of values) {
        assertStringIncludes(faultsOf({ ...others, [name]: value })[0]!, says, value);
      }
    });
  }

  it("accepts the limits of HA, LANES and DRAIN_SECONDS, and waits between a webhook's attempts", () => {
    const read = (settings: Record<string, string>) => readConfig({ ...GOOD, ...settings });
    assertEquals(["on", "off"].map((HA) => read({ HA }).standby), [true, false]);
    assertEquals(["1", "8"].map((LANES) => read({ LANES }).lanes), [1, 8]);
    const drains = ["0", "10", "600"].map((DRAIN_SECONDS) => read({ DRAIN_SECONDS }).drainSeconds);
    assertEquals(drains, [0, 10, 600]);
    assertEquals(read({ WEBHOOK_RETRIES: "1s 2m" }).webhookRetries, [1, 120]);
  });

  it("accepts several database hosts with target_session_attrs=primary", () => {
    const DATABASE_URL = "postgres://u:p@n1:5432,n2:5433/gold?sslmode=verify-full";
    const several = `${DATABASE_URL}&target_session_attrs=primary`;
    assertEquals(readConfig({ ...GOOD, ...PRODUCTION, DATABASE_URL: several }).databaseUrl, several);
    assertStringIncludes(faultsOf({ DATABASE_URL })[0]!, "DATABASE_URL names several hosts");
  });

  it("requires sslmode=verify-full for a database over the network in production", () => {
    const DATABASE_URL = "postgres://gold_api:secret@db.example/gold";
    const production = { ...PRODUCTION, LISTEN: "unix:/run/gold.sock" };
    assertStringIncludes(faultsOf({ ...production, DATABASE_URL })[0]!, "DATABASE_URL reaches db.example");
    for (const GOLD_ENV of ["production", "sandbox"]) {
      const url = GOLD_ENV === "sandbox" ? DATABASE_URL : `${DATABASE_URL}?sslmode=verify-full`;
      const read = readConfig({ ...GOOD, ...production, GOLD_ENV, DATABASE_URL: url });
      assertEquals(read.databaseUrl, url);
    }
    // Expect that both faults are named at once.
    assertEquals(faultsOf({ ...production, GOLD_ENV: "staging", DATABASE_URL }).length, 2);
  });

  it("accepts hosts, addresses and ranges of internal price feeds, and names an invalid entry", () => {
    const text =
      "feed.internal:8080 10.1.2.0/24, 10.9.9.9 [fd00::1]:443\tFD00:2::/64 Feeds.Example:80 127.0.0.1:9000";
    assertEquals(readConfig({ ...GOOD, PRICE_SOURCE_ALLOW: text }).priceSourceAllow, {
      hosts: ["feed.internal:8080", "fd00::1:443", "feeds.example:80", "127.0.0.1:9000"],
      ranges: ["10.1.2.0/24", "10.9.9.9/32", "FD00:2::/64"],
    });
    const entries = [
      "feed.internal",
      "10.1.2.0/33",
      "10.1.2/24",
      "http://feed:80",
      "feed:0",
      "feed:65536",
      "*:80/8",
    ];
    for (const entry of entries) {
      assertStringIncludes(
        faultsOf({ PRICE_SOURCE_ALLOW: `10.0.0.1 ${entry}` })[0]!,
        `PRICE_SOURCE_ALLOW has "${entry}"`,
      );
    }
  });

  it("accepts name servers by IP address and port, but not by name", () => {
    const WEBHOOK_DNS = "192.0.2.1:53 [2001:db8::1]:5353";
    assertEquals(readConfig({ ...GOOD, WEBHOOK_DNS }).webhookDns, WEBHOOK_DNS.split(" "));
    for (
      const server of [
        "dns.example:53",
        "192.0.2.1",
        "192.0.2.1:0",
        "192.0.2.1:65536",
        "[::1]",
        "::1:53",
        "[192.0.2.1]:53",
      ]
    ) {
      assertStringIncludes(faultsOf({ WEBHOOK_DNS: server })[0]!, `WEBHOOK_DNS has "${server}"`);
    }
  });

  it("accepts a PEM file of certificates for WEBHOOK_CA, and names the fault of any other file", async () => {
    const folder = await mkdtemp(join(tmpdir(), "gold-config-"));
    const [one, other] = [createTestAuthority().ca, createTestAuthority().ca];
    const path = join(folder, "ca.pem");
    const faultsWith = async (text: string) => {
      await writeFile(path, text);
      return faultsOf({ WEBHOOK_CA: path });
    };
    try {
      for (const text of [one, one + other, `Who it is\n${one.replaceAll("\n", "\r\n")}`]) {
        await writeFile(path, text);
        assertEquals(readConfig({ ...GOOD, WEBHOOK_CA: path }).webhookCa, text);
      }
      const cure = "give a PEM file of the authority's certificate, or leave it unset.";
      for (const text of ["", "root:x:0:0", one.replaceAll("CERTIFICATE", "PRIVATE KEY")]) {
        assertEquals(await faultsWith(text), [`WEBHOOK_CA is ${path}, which has no certificate: ${cure}`]);
      }
      for (const broken of [one.slice(0, 200), one.replace(/-----END.*/, ""), one.replace("\nM", "\n")]) {
        const [fault = ""] = await faultsWith(other + broken);
        assertStringIncludes(fault, `${path}, which has a broken certificate (number 2 of 2): ${cure}`);
      }
      for (const [lost, code] of [[join(folder, "none"), "ENOENT"], [folder, "EISDIR"]] as const) {
        const expected = `WEBHOOK_CA is ${lost}, which cannot be read (${code}): ${cure}`;
        assertEquals(faultsOf({ WEBHOOK_CA: lost }), [expected]);
      }
    } finally {
      await rm(folder, { recursive: true });
    }
  });
});

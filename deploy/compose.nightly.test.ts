import { spawnSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { request } from "node:https";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { parseWebhookSecret, signWebhook } from "@gold-partner/protocol";
import { assert, assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import {
  commandOf,
  healthcheckOf,
  type Project,
  readCompose,
  type Service,
  serviceContainer,
} from "./compose_fixture.ts";
import { commandText, type Container, type Started } from "./engine_fixture.ts";
import {
  dashboardPanels,
  expressionsOf,
  figuresAsked,
  isShown,
  WRITTEN_BY_JOBS,
} from "../tools/testing/figures.ts";
import { readYaml } from "./manifests_fixture.ts";
import { onboardPartner, type Partner } from "./partner_fixture.ts";
import { goldIn, openSite, ROOT, type Site } from "./site_fixture.ts";

const DASHBOARDS = join(ROOT, "deploy/grafana/dashboards");
const BASE_URL = "https://localhost:8443";
/**
 * Services that run only commands of their third-party images. This test does not have to run these commands.
 */
const FOREIGN = ["database", "grafana"];
/** Prometheus itself makes `up`. */
const ELSEWHERE = ["up", ...WRITTEN_BY_JOBS];
/** Metrics that k6 itself records. */
const K6_OWN = ["k6_http_reqs_total", "k6_dropped_iterations_total", "k6_checks_rate", "k6_vus", "k6_vus_max"]
  .concat(["p50", "p95", "p99"].map((part) => `k6_http_req_duration_${part}`));
/** Programs that their images start by themselves, so the compose file does not name them. */
const ENTRYPOINTS: Readonly<Record<string, string>> = { k6: "k6", prometheus: "prometheus" };

describe("docker-compose.yml", () => {
  let site: Site;
  let project: Project;
  let secrets: string;
  let partner: Partner;
  let order: Record<string, unknown>;
  const started = new Map<string, Started>();

  before(async () => {
    site = await openSite([8405, 8442, 8443, 8444, 9090, 9464, 9465, 9901]);
    secrets = join(site.checkout, ".gold/compose");
    const read = readCompose(ROOT, join(site.checkout, "docker-compose.yml"));
    if (typeof read === "string") throw new Error(read);
    project = read;
  });
  after(() => site?.stop());

  const container = (name: string): Container => {
    const mountsOf = (one: string) => [...serviceContainer(project, one, site.folder).mounts];
    const given = serviceContainer(project, name, site.folder);
    const own = { ...given, words: wordsOf(name, project.services[name]!) };
    // The container `config` writes files that contain paths of `front` and `envoy`, but it does not mount
    // these paths. So give it the mounts of those two containers, to have the paths replaced.
    return name === "config"
      ? { ...own, mounts: new Map([...mountsOf("front"), ...mountsOf("envoy")]) }
      : own;
  };
  const runToEnd = async (name: string) => {
    const { code, output } = await site.engine.run(container(name));
    assertEquals(code, 0, output);
  };
  const start = async (name: string) => {
    const service = container(name);
    started.set(name, site.engine.start(service));
    if (project.services[name]!.healthcheck) {
      await site.engine.until(service, healthcheckOf(project.services[name]!));
    }
  };

  it("creates the database logins and migrates the database", async () => {
    const database = container("database");
    const logins: Container = { ...database, env: { ...database.env, ...site.superuser } };
    const { code, output } = await site.engine.run(logins, ["sh", "/docker-entrypoint-initdb.d/logins.sh"]);
    assertEquals([code, output], [0, ""]);
    for (const name of ["migration", "migration", "operators", "operators"]) await runToEnd(name);
  });

  it("starts its services in dependency order, each only after its dependencies are healthy", async () => {
    const gold = goldIn(site.engine, container("gold"));
    await gold("ca init --key /run/authority/ca_key.pem");
    for (const name of ["network", "config", "front", "trust-sync", "api", "envoy", "delivery", "receiver"]) {
      const waits = Object.keys(project.services[name]!.depends_on ?? {});
      assertEquals(
        waits.filter((one) =>
          !["database", "migration", "operators", "config"].includes(one) && !started.has(one)
        ),
        [],
      );
      await (name === "config" ? runToEnd(name) : start(name));
    }
  });

  it("serves token, quote and signed order to a partner whose keys openssl made", async () => {
    const gold = goldIn(site.engine, container("gold"));
    await gold("vault add --serial FIRST --gross 12441.4 --fineness 999.9 --vault Riyadh");
    await gold("price set --mid 500 --spread 60 --source fixed");
    partner = await onboardPartner(join(secrets, "partner"), {
      baseUrl: BASE_URL,
      port: site.engine.port(8443),
      ca: join(secrets, "ca.crt"),
      webhook: `https://localhost:${site.engine.port(8444)}/webhooks`,
      gold,
    });
    writeFileSync(join(secrets, "webhook_secrets"), `${partner.webhookSecret}\n`);
    await partner.fund();
    order = await partner.buy();
    assertEquals([order.status, order.gold_grams], ["executed", 1.5]);
  });

  it("exports every metric that the dashboards and the alerts query", async () => {
    const [prometheus] = readYaml<PrometheusConfig>(ROOT, [join(ROOT, "deploy/prometheus/prometheus.yaml")]);
    const pages = prometheus!.scrape_configs.map(
      async ({ metrics_path: path = "/metrics", static_configs }) => {
        const port = Number(static_configs[0].targets[0].split(":")[1]);
        const reply = await fetch(`http://127.0.0.1:${site.engine.port(port)}${path}`);
        return await reply.text();
      },
    );
    const shown = (await Promise.all(pages)).join("\n");
    const panels = dashboardPanels(join(DASHBOARDS, "service.json"));
    const asked = figuresAsked(ROOT, join(ROOT, "deploy/prometheus/alerts.yaml"), expressionsOf(panels));
    if (typeof asked === "string") throw new Error(asked);
    assert(asked.length > 20);
    assertEquals(asked.filter((figure) => !ELSEWHERE.includes(figure.name) && !isShown(figure, shown)), []);
  });

  it("has dashboards that use only the provisioned data source, and only k6 metrics that k6 records", () => {
    const [provisioned] = readYaml<{ datasources: { uid: string }[] }>(ROOT, [
      join(ROOT, "deploy/grafana/provisioning/datasources/prometheus.yaml"),
    ]);
    const panels = ["service.json", "loadtest.json"].flatMap((file) =>
      dashboardPanels(join(DASHBOARDS, file))
    );
    assertEquals(
      new Set(panels.map(({ datasource }) => datasource.uid)),
      new Set(provisioned!.datasources.map(({ uid }) => uid)),
    );
    const asked = figuresAsked(ROOT, join(ROOT, "deploy/prometheus/alerts.yaml"), expressionsOf(panels));
    if (typeof asked === "string") throw new Error(asked);
    const counters = readFileSync(join(ROOT, "loadtest/lib/counters.ts"), "utf8");
    const own = [...counters.matchAll(/new Counter\("(\w+)"\)/g)].map(([, name]) => `k6_${name}_total`);
    const known = [...own, ...K6_OWN];
    assertEquals(asked.filter(({ name }) => name.startsWith("k6_") && !known.includes(name)), []);
  });

  it("stores the metrics of a k6 run in Prometheus, and shows them in every k6 panel", async () => {
    const { error } = spawnSync("prometheus", ["--version"]);
    if (error) {
      throw new Error(
        `prometheus does not run: ${error.message}. Install it (Debian: apt-get install prometheus).`,
      );
    }
    await runToEnd("load_partner");
    // Replace the ports of the targets, because they listen on other ports in this test.
    const config = join(site.checkout, "deploy/prometheus/prometheus.yaml");
    const text = readFileSync(config, "utf8");
    writeFileSync(
      config,
      text.replace(/127\.0\.0\.1:(\d+)/g, (_, port) => `127.0.0.1:${site.engine.port(Number(port))}`),
    );
    const prometheus = site.engine.start(container("prometheus"));
    const k6 = container("k6");
    // In k6, map the base URL's host to this test's port. The base URL must not change, because it is part of
    // what partners sign.
    const hosts = join(site.folder, "k6.json");
    writeFileSync(
      hosts,
      JSON.stringify({ hosts: { "localhost:8443": `127.0.0.1:${site.engine.port(8443)}` } }),
    );
    const { code, output } = await site.engine.run({ ...k6, env: { ...k6.env, K6_CONFIG: hosts } });
    // Accept 99, with which k6 exits if a service level failed: on a busy machine, a latency may exceed its
    // level.
    assert([0, 99].includes(code), output);
    assertMatch(output, /^\| orders_accepted +\| +[1-9]\d* \|$/m);
    assertMatch(output, /^\| books_differences +\| +0 \|$/m);

    const empty = async () => {
      const answers = expressionsOf(dashboardPanels(join(DASHBOARDS, "loadtest.json"))).map(async (expr) => {
        const query = new URLSearchParams({ query: expr });
        const reply = await fetch(`http://127.0.0.1:${site.engine.port(9090)}/api/v1/query?${query}`);
        const { data } = await reply.json() as { data?: { result: unknown[] } };
        return data?.result.length ? [] : [expr];
      });
      return (await Promise.all(answers)).flat();
    };
    for (const end = Date.now() + 60_000; (await empty()).length > 0 && Date.now() < end;) await sleep(500);
    assertEquals([await empty(), await prometheus.stop()], [[], 0]);
  });

  it("delivers the order's event to a receiver that accepts only the partner's webhook secret", async () => {
    const printed = () => started.get("receiver")!.output();
    const delivered = `"order_id":"${order.order_id}"`;
    for (const end = Date.now() + 30_000; !printed().includes(delivered) && Date.now() < end;) {
      await sleep(50);
    }
    const line = printed().split("\n").find((one) => one.includes(delivered)) ?? printed();
    assertMatch(line, /^{"status":204,"id":"evt_[-\w]+","event":{.*"type":"order.executed"/);

    const body = '{"type":"order.executed"}';
    const timestamp = Math.floor(Date.now() / 1000);
    const foreign = parseWebhookSecret(`whsec_${Buffer.alloc(32).toString("base64")}`);
    const status = await post(site.engine.port(8444), join(secrets, "ca.crt"), body, {
      "webhook-id": "evt_1",
      "webhook-timestamp": `${timestamp}`,
      "webhook-signature": signWebhook({ id: "evt_1", timestamp, body }, [foreign]),
    });
    assertEquals(status, 400);
    assertStringIncludes(printed(), '"reason":"signature_mismatch"');
  });

  it("serves again after the service or Envoy restarts, and Envoy stops listening first", async () => {
    const isServed = () => partner.send("GET", "/health").then(({ status }) => status === 200, () => false);
    const untilServed = async () => {
      for (const end = Date.now() + 30_000; !await isServed(); await sleep(100)) assert(Date.now() < end);
    };
    for (const name of ["api", "envoy"]) {
      for (const { command } of project.services[name]!.pre_stop ?? []) {
        const { code, output } = await site.engine.run(container(name), command);
        assertEquals([code, output, await isServed()], [0, "", false]);
      }
      assertEquals([name, await started.get(name)!.stop()], [name, 0]);
      await start(name);
      await untilServed();
    }
    const hooked = Object.entries(project.services).filter(([, { pre_stop }]) => pre_stop);
    assertEquals(hooked.map(([name]) => name), ["envoy"]);
  });

  it("stops each service only after all services that depend on it have stopped", async () => {
    for (const name of ["receiver", "envoy", "delivery", "front", "api", "trust-sync"]) {
      const code = await started.get(name)!.stop(project.services[name]!.stop_signal);
      started.delete(name);
      const left = [...started.keys()].filter((one) => name in (project.services[one]!.depends_on ?? {}));
      assertEquals([name, code, left], [name, 0, []]);
    }
  });

  it("contains no command that these tests did not run", () => {
    const commands = Object.entries(project.services).filter(([name]) => !FOREIGN.includes(name)).flatMap((
      [name, service],
    ) => commandsOf(name, service));
    assertEquals(commands.filter((command) => !site.engine.ran.has(command)), []);
    assert(commands.length > 10);
  });
});

/** The part of Prometheus' configuration that names its targets. */
interface PrometheusConfig {
  readonly scrape_configs: readonly {
    readonly metrics_path?: string;
    readonly static_configs: readonly [{ readonly targets: readonly [string] }];
  }[];
}

const wordsOf = (name: string, service: Service): string[] => [
  ...ENTRYPOINTS[name] ? [ENTRYPOINTS[name]] : [],
  ...commandOf(service),
];

function commandsOf(name: string, service: Service): string[] {
  const own = wordsOf(name, service);
  const hooks = service.pre_stop?.map(({ command }) => command) ?? [];
  const probes = service.healthcheck ? [healthcheckOf(service)] : [];
  return [own, ...hooks, ...probes].map(commandText);
}

function post(port: number, ca: string, body: string, headers: Record<string, string>): Promise<number> {
  return new Promise((resolve, reject) => {
    const options = {
      host: "127.0.0.1",
      port,
      servername: "localhost",
      ca: readFileSync(ca),
      method: "POST",
      agent: false,
    };
    request({ ...options, path: "/webhooks", headers }, (reply) => {
      reply.resume().on("end", () => resolve(reply.statusCode!));
    }).on("error", reject).end(body);
  });
}

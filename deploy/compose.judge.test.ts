import { cpSync, readFileSync, writeFileSync } from "node:fs";
import { request } from "node:https";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { assert, assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import { parseWebhookSecret, signWebhook } from "@gold-partner/protocol";
import {
  commandOf,
  healthcheckOf,
  type Project,
  readCompose,
  type Service,
  serviceContainer,
} from "./compose_trial.ts";
import { commandText, type Container, type Started } from "./engine_trial.ts";
import { dashboardPanels, figuresAsked, isShown } from "./figures_trial.ts";
import { readYaml } from "./manifests_trial.ts";
import { onboardPartner, type Partner } from "./partner_trial.ts";
import { goldIn, openSite, ROOT, type Site } from "./site_trial.ts";

const BASE_URL = "https://localhost:8443";
/** Made by others, and nothing of ours is in them: their commands are theirs to try. */
const FOREIGN = ["database", "prometheus", "grafana"];

describe("docker-compose.yml", () => {
  let site: Site;
  let project: Project;
  let secrets: string;
  let partner: Partner;
  const started = new Map<string, Started>();

  before(async () => {
    site = await openSite([8443, 8444, 9464, 9465, 9901]);
    secrets = join(site.checkout, ".gold/compose");
    const read = readCompose(ROOT, join(site.checkout, "docker-compose.yml"));
    if (typeof read === "string") throw new Error(read);
    project = read;
  });
  after(() => site?.stop());

  const container = (name: string): Container => {
    const own = serviceContainer(project, name, site.folder);
    // What it writes is read by Envoy, and names Envoy's mounts.
    return name === "config"
      ? { ...own, mounts: serviceContainer(project, "envoy", site.folder).mounts }
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

  it("makes the database's logins and migrates it", async () => {
    const database = container("database");
    const logins: Container = { ...database, env: { ...database.env, ...site.superuser } };
    const { code, output } = await site.engine.run(logins, ["sh", "/docker-entrypoint-initdb.d/logins.sh"]);
    assertEquals([code, output], [0, ""]);
    await runToEnd("migration");
    await runToEnd("migration");
  });

  it("comes up in its own order, each part healthy before the next", async () => {
    const gold = goldIn(site.engine, container("gold"));
    await gold("ca init --key /run/authority/ca_key.pem");
    for (const name of ["network", "config", "keeper", "api", "envoy", "delivery", "receiver"]) {
      const waits = Object.keys(project.services[name]!.depends_on ?? {});
      assertEquals(
        waits.filter((one) => !["database", "migration", "config"].includes(one) && !started.has(one)),
        [],
      );
      await (name === "config" ? runToEnd(name) : start(name));
    }
  });

  it("serves a partner whose keys openssl made: token, quote, signed order", async () => {
    const gold = goldIn(site.engine, container("gold"));
    await gold("vault add --serial FIRST --gross 12441.4 --fineness 999.9 --vault Riyadh");
    await gold("price set --mid 500 --spread 60 --source fixed");
    partner = await onboardPartner(join(secrets, "partner"), {
      baseUrl: BASE_URL,
      port: site.engine.port(8443),
      ca: join(secrets, "ca.crt"),
      webhook: "https://localhost:8444/webhooks",
      gold,
    });
    await partner.fund();
    const order = await partner.buy();
    assertEquals([order.status, order.gold_grams], ["executed", 1.5]);
  });

  it("shows every figure that the dashboards and the alarms ask for", async () => {
    const [prometheus] = readYaml<PrometheusConfig>(ROOT, [join(ROOT, "deploy/prometheus/prometheus.yaml")]);
    const pages = prometheus!.scrape_configs.map(
      async ({ metrics_path: path = "/metrics", static_configs }) => {
        const port = Number(static_configs[0].targets[0].split(":")[1]);
        const reply = await fetch(`http://127.0.0.1:${site.engine.port(port)}${path}`);
        return await reply.text();
      },
    );
    const shown = (await Promise.all(pages)).join("\n");
    const panels = dashboardPanels(join(ROOT, "deploy/grafana/dashboards"));
    const expressions = panels.flatMap(({ targets }) => targets.map(({ expr }) => expr));
    const asked = figuresAsked(ROOT, join(ROOT, "deploy/prometheus/alerts.yaml"), expressions);
    if (typeof asked === "string") throw new Error(asked);
    assert(asked.length > 20);
    // `up` is what Prometheus itself says of whom it asks.
    assertEquals(asked.filter((figure) => figure.name !== "up" && !isShown(figure, shown)), []);
    const provisioned = join(ROOT, "deploy/grafana/provisioning/datasources/prometheus.yaml");
    const [{ datasources } = { datasources: [] }] = readYaml<{ datasources: { uid: string }[] }>(ROOT, [
      provisioned,
    ]);
    assertEquals(
      new Set(panels.map(({ datasource }) => datasource.uid)),
      new Set(datasources.map(({ uid }) => uid)),
    );
  });

  it("is loaded by k6", async () => {
    cpSync(join(secrets, "ca.crt"), join(partner.folder, "ca.crt"));
    const k6 = container("k6");
    // The base URL stays as partners spell it; that its port is another one here is k6's alone to know.
    const config = join(site.folder, "k6.json");
    writeFileSync(
      config,
      JSON.stringify({ hosts: { "localhost:8443": `127.0.0.1:${site.engine.port(8443)}` } }),
    );
    const env = { ...k6.env, K6_CONFIG: config, K6_DURATION: "2s" };
    const { code, output } = await site.engine.run({ ...k6, words: ["k6", ...k6.words], env });
    assertEquals(code, 0, output);
    assertMatch(output, /checks_succeeded\.+: 100\.00%/);
  });

  it("delivers to a receiver that believes the partner's secret alone", async () => {
    writeFileSync(join(secrets, "webhook_secrets"), `${partner.webhookSecret}\n`);
    const body = '{"type":"order.executed"}';
    const send = (secret: string) => {
      const timestamp = Math.floor(Date.now() / 1000);
      const signature = signWebhook({ id: "evt_1", timestamp, body }, [parseWebhookSecret(secret)]);
      return post(site.engine.port(8444), join(secrets, "ca.crt"), body, {
        "webhook-id": "evt_1",
        "webhook-timestamp": `${timestamp}`,
        "webhook-signature": signature,
      });
    };
    assertEquals(await send(partner.webhookSecret), 204);
    assertEquals(await send(`whsec_${Buffer.alloc(32).toString("base64")}`), 400);
    const output = started.get("receiver")!.output();
    assertStringIncludes(output, '"event":{"type":"order.executed"}');
    assertStringIncludes(output, '"reason":"signature_mismatch"');
  });

  it("serves again after the service alone was started anew, and after Envoy was, which closes its door first", async () => {
    const isServed = () => partner.send("GET", "/health").then(({ status }) => status === 200, () => false);
    const untilServed = async () => {
      for (const end = Date.now() + 10_000; !await isServed(); await sleep(100)) assert(Date.now() < end);
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

  it("goes down in order: the door first, then the service, then what stands beside it", async () => {
    for (const name of ["receiver", "envoy", "delivery", "api", "keeper"]) {
      const code = await started.get(name)!.stop();
      started.delete(name);
      const left = [...started.keys()].filter((one) => name in (project.services[one]!.depends_on ?? {}));
      assertEquals([name, code, left], [name, 0, []]);
    }
  });

  it("has no command that did not run here", () => {
    const commands = Object.entries(project.services).filter(([name]) => !FOREIGN.includes(name)).flatMap((
      [name, service],
    ) => commandsOf(name, service));
    assertEquals(commands.filter((command) => !site.engine.ran.has(command)), []);
    assert(commands.length > 10);
  });
});

/** The parts of Prometheus' own file that say whom it asks. */
interface PrometheusConfig {
  readonly scrape_configs: readonly {
    readonly metrics_path?: string;
    readonly static_configs: readonly [{ readonly targets: readonly [string] }];
  }[];
}

function commandsOf(name: string, service: Service): string[] {
  const own = name === "k6" ? ["k6", ...commandOf(service)] : commandOf(service);
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

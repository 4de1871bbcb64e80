import { copyFileSync, readFileSync } from "node:fs";
import { writeFile } from "node:fs/promises";
import { basename, join } from "node:path";
import { after, before, describe, it } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { assert, assertEquals, assertMatch } from "@std/assert";
import { byTwo } from "../tools/testing/by_two.ts";
import { registerOperatorKeys } from "../tools/testing/operator_keys.ts";
import { until } from "../tools/testing/until.ts";
import { commandText, type Container, type Started } from "./engine_fixture.ts";
import {
  type Manifest,
  manifestFaults,
  manifestFiles,
  type Pod,
  type PodContainer,
  podContainer,
  type Probe,
  readYaml,
  type Secrets,
} from "./manifests_fixture.ts";
import { onboardPartner } from "./partner_fixture.ts";
import { goldIn, openSite, ROOT, type Site } from "./site_fixture.ts";

const FOLDER = join(ROOT, "deploy/kubernetes");
/**
 * The first Kubernetes version that has sidecar containers without a feature gate, and the newest version
 * that the validator knows.
 */
const VERSIONS = ["1.29", "1.37"];

describe("deploy/kubernetes", () => {
  let site: Site;
  let secrets: Secrets;
  const manifests = readYaml<Manifest>(ROOT, manifestFiles(FOLDER));
  const started = new Map<string, Started>();

  before(async () => {
    site = await openSite([8405, 8442, 8443, 9464, 9466, 9901]);
    secrets = readSecrets(join(site.checkout, ".gold/compose"));
    await makeLogins(site);
  });
  after(() => site?.stop());

  const podOf = (name: string): Pod => pods(manifests).find(([owner]) => owner === name)![1];
  const containerOf = (podName: string, { name }: PodContainer): Container => {
    const pod = podOf(podName);
    const all = [...pod.initContainers ?? [], ...pod.containers];
    const place = (one: PodContainer): Container => {
      const placed = podContainer(manifests, pod, one, secrets, join(site.folder, podName));
      if (placed.env.HA === undefined) return placed;
      // The manifests require a synchronous standby, but the database of this test has none.
      assertEquals(placed.env.HA, "on");
      return { ...placed, env: { ...placed.env, HA: "off" } };
    };
    const own = place(all.find((one) => one.name === name)!);
    // The test replaces the path of each mount by a local folder. The container `config` writes files with
    // paths that only `front` and `envoy` mount, so it gets their mounts here.
    const mountsOf = (one: string) => [...place(all.find((other) => other.name === one)!).mounts];
    return name === "config"
      ? { ...own, mounts: new Map([...mountsOf("front"), ...mountsOf("envoy")]) }
      : own;
  };
  const start = async (podName: string, container: PodContainer) => {
    const described = containerOf(podName, container);
    started.set(container.name, site.engine.start(described));
    await site.engine.until(described, probeOf(container.startupProbe!));
  };

  it("matches Kubernetes' own schemas, without an unknown field", () => {
    for (const version of VERSIONS) assertEquals(manifestFaults(ROOT, manifestFiles(FOLDER), version), "");
    const [kustomization] = readYaml<Manifest>(ROOT, [join(FOLDER, "kustomization.yaml")]);
    assertEquals([...kustomization!.resources!].sort(), manifestFiles(FOLDER).map((file) => basename(file)));
  });

  it("migrates the database, then starts the containers of a pod one after another", async () => {
    const [migration] = podOf("gold-migration").containers;
    const { code, output } = await site.engine.run(containerOf("gold-migration", migration!));
    assertEquals(code, 0, output);
    const folder = containerOf("gold-migration", migration!).mounts.get("/run/keys")!;
    const places = { pepper: `file:${folder}/pepper`, sealing_key: `file:${folder}/sealing_key` };
    await writeFile(keyFile(), JSON.stringify(places), { mode: 0o600 });
    await registerKeys();
    await byTwo(operator(), operator("second operator"))("ca init --key", join(site.folder, "ca_key.pem"));
    const api = podOf("gold-api");
    for (const container of api.initContainers!) {
      if (container.restartPolicy === "Always") await start("gold-api", container);
      else assertEquals((await site.engine.run(containerOf("gold-api", container))).code, 0);
    }
    for (const container of api.containers) await start("gold-api", container);
    assertEquals(
      [...api.initContainers!, ...api.containers].map(({ name }) => name),
      ["config", "trust-sync", "front", "envoy", "api"],
    );
  });

  it("gives Envoy a memory limit above the heap size at which Envoy rejects requests", () => {
    const envoy = podOf("gold-api").initContainers!.find(({ name }) => name === "envoy")!;
    const folder = containerOf("gold-api", envoy).mounts.get("/run/gold")!;
    const { memory = "" } = envoy.resources!.limits!;
    const [, mebibytes = "0"] = /^(\d+)Mi$/.exec(memory) ?? [];
    const written = readFileSync(join(folder, "envoy/envoy.json"), "utf8");
    const [, heapBytes] = /"max_heap_size_bytes": ?(\d+)/.exec(written) ?? [];
    assert(
      Number(mebibytes) * 2 ** 20 >= 1.25 * Number(heapBytes),
      `${memory} (in Mi) must be at least 1.25 times Envoy's own heap limit of ${heapBytes} bytes`,
    );
  });

  it("serves a partner's signed order", async () => {
    const gold = byTwo(operator(), operator("second operator"));
    await gold("vault add --serial FIRST --gross 12441.4 --fineness 999.9 --vault Riyadh");
    await gold("price set --mid 500 --spread 60 --source fixed");
    const partner = await onboardPartner(join(site.folder, "partner"), {
      baseUrl: containerOf("gold-api", podOf("gold-api").containers[0]!).env.PUBLIC_BASE_URL!,
      port: site.engine.port(8443),
      ca: join(site.checkout, ".gold/compose/ca.crt"),
      webhook: "https://partner.example/webhooks",
      gold,
    });
    await gold(`deposit record ${partner.clientId} --amount 10000 --bank-ref FT1`);
    assertEquals((await partner.buy()).status, "executed");
  });

  it("has probes that succeed while a container serves and fail after it has stopped", async () => {
    const [api] = podOf("gold-api").containers;
    const [envoy, front] = ["envoy", "front"].map((wanted) =>
      podOf("gold-api").initContainers!.find(({ name }) => name === wanted)
    );
    const asked = (container: PodContainer) => [container.readinessProbe!, container.livenessProbe!];
    const isYes = async (container: PodContainer, probe: Probe) =>
      (await site.engine.run(containerOf("gold-api", container), probeOf(probe))).code === 0;
    for (const container of [api!, envoy!, front!]) {
      const described = containerOf("gold-api", container);
      // until() repeats the probe, because Kubernetes does not count one slow answer as a failure either.
      for (const probe of asked(container)) await site.engine.until(described, probeOf(probe));
    }
    const preStop = await site.engine.run(containerOf("gold-api", api!), probeOf(api!.lifecycle!.preStop!));
    assertEquals(preStop.code, 0, preStop.output);
    // The hook of `api` has closed Envoy's listener, so both probes of Envoy must fail now. Kubernetes then
    // restarts Envoy. Otherwise a restart of `api` alone would leave Envoy without a listener.
    for (const probe of asked(envoy!)) {
      assert(!await isYes(envoy!, probe), "a probe succeeds although Envoy's listener is closed");
    }
    for (const name of ["api", "envoy", "front", "trust-sync"]) {
      // Stop HAProxy with SIGUSR1, which its image names as its stop signal.
      const signal = name === "front" ? "SIGUSR1" : "SIGTERM";
      assertEquals([name, await started.get(name)!.stop(signal)], [name, 0]);
    }
    assert(!await isYes(api!, api!.readinessProbe!));
  });

  it("delivers webhooks from separate pods", async () => {
    const [delivery] = podOf("gold-delivery").containers;
    await start("gold-delivery", delivery!);
    // Wait for a failed attempt. Every attempt fails, because the partner's receiver does not exist.
    const figures = async () =>
      await (await fetch(`http://127.0.0.1:${site.engine.port(9466)}/metrics`)).text();
    const failed = /^gold_webhook_attempts_total\{outcome="failed"\} [1-9]/m;
    for (const end = Date.now() + 60_000; !failed.test(await figures()) && Date.now() < end;) {
      await sleep(100);
    }
    assertMatch(await figures(), failed);
    for (const probe of [delivery!.readinessProbe!, delivery!.livenessProbe!]) {
      await site.engine.until(containerOf("gold-delivery", delivery!), probeOf(probe));
    }
    // Only the pod of delivery still runs, and the pods of the API see the heads that it writes.
    const { mounts } = containerOf("gold-api", podOf("gold-api").containers[0]!);
    const heads = () => readFileSync(join(mounts.get("/run/heads")!, "heads.json"), "utf8");
    await until(() => (JSON.parse(heads()) as { items: unknown[] }).items.length > 1, heads);
    assertEquals(await started.get("delivery")!.stop(), 0);
  });

  it("has no command that these tests did not run", () => {
    const commands = pods(manifests).flatMap(([name, pod]) =>
      [...pod.initContainers ?? [], ...pod.containers].flatMap((container) => {
        const { startupProbe, readinessProbe, livenessProbe, lifecycle } = container;
        const probes = [startupProbe, readinessProbe, livenessProbe, lifecycle?.preStop];
        return [
          containerOf(name, container).words,
          ...probes.flatMap((probe) => probe?.exec ? [probe.exec.command] : []),
        ];
      })
    );
    assertEquals(commands.map(commandText).filter((command) => !site.engine.ran.has(command)), []);
    assert(commands.length > 10);
  });

  /** An operator's own key file, outside the cluster. */
  function keyFile(): string {
    return join(site.folder, "keys.json");
  }

  /**
   * Registers the operators' first keys, and puts their file where the ConfigMap of an overlay is mounted.
   */
  async function registerKeys(): Promise<void> {
    const logins = [loginOf("operator"), loginOf("second operator"), "third_operator"] as const;
    const migration = operator("gold-migration-database");
    for (const login of logins.slice(0, 2)) {
      await migration("operator add", login, "--roles", "treasury,credentials,pricing,keys,audit");
    }
    const file = await registerOperatorKeys(migration, site.folder, logins);
    for (const pod of ["gold-api", "gold-delivery"]) {
      const mounts = containerOf(pod, podOf(pod).containers[0]!).mounts;
      copyFileSync(file, join(mounts.get("/run/operator_keys")!, "operator_keys"));
    }
  }

  function loginOf(name: string): string {
    return new URL(secrets.values[`${name}/url`]!).username;
  }

  function operator(name: "operator" | "second operator" | "gold-migration-database" = "operator") {
    const { mounts } = containerOf("gold-migration", podOf("gold-migration").containers[0]!);
    const words = ["node", "packages/operator/src/main.ts"];
    return goldIn(site.engine, {
      name,
      words,
      env: {
        DATABASE_URL: secrets.values[`${name}/url`]!,
        GOLD_KEYS: keyFile(),
        GOLD_SSH_KEY: join(site.folder, loginOf(name)),
        OPERATOR_KEYS: join(site.folder, "operator_keys"),
      },
      mounts,
    });
  }
});

/** Returns each pod with the name of its Deployment or Job. */
function pods(manifests: readonly Manifest[]): [string, Pod][] {
  return manifests.flatMap(({ metadata, spec }) =>
    spec?.template ? [[metadata.name, spec.template.spec]] : []
  );
}

/** Returns the command of a probe. For a TCP probe, this is a bash command that opens the connection. */
function probeOf({ exec, tcpSocket }: Probe): readonly string[] {
  return exec?.command ?? ["bash", "-c", `exec 3<>/dev/tcp/127.0.0.1/${tcpSocket ? 8443 : ""}`];
}

/** Reads the secrets that deploy/make_secrets made. In a real cluster, a secret store provides them. */
function readSecrets(folder: string): Secrets {
  const url = (file: string) => readFileSync(join(folder, file), "utf8").split("\n")[0]!.replace(/^\w+=/, "");
  const ticker = /^TICKER_DATABASE_URL=(.*)$/m.exec(readFileSync(join(folder, "api.env"), "utf8"))![1]!;
  return {
    values: {
      "gold-service-database/url": url("api.env"),
      "gold-ticker-database/url": ticker,
      "gold-delivery-database/url": url("delivery.env"),
      "gold-trust-database/url": url("trust_sync.env"),
      "gold-migration-database/url": url("migration.env"),
      "operator/url": url("operator.env"),
      "second operator/url": url("second_operator.env"),
    },
    folders: { "gold-keys": folder, "gold-server-certificate": join(folder, "server_certificate") },
  };
}

async function makeLogins({ engine, checkout, superuser }: Site): Promise<void> {
  const file = (login: string) => join(checkout, ".gold/compose", `password_${login}`);
  const env = {
    ...superuser,
    POSTGRES_DB: "gold",
    MIGRATION_PASSWORD_FILE: file("gold_migration"),
    API_PASSWORD_FILE: file("gold_api"),
    DELIVERY_PASSWORD_FILE: file("gold_delivery"),
    TICKER_PASSWORD_FILE: file("gold_ticker"),
    TRUST_PASSWORD_FILE: file("gold_trust"),
    OPERATOR_ONE_PASSWORD_FILE: file("operator_one"),
    OPERATOR_TWO_PASSWORD_FILE: file("operator_two"),
  };
  const words = ["sh", join(checkout, "deploy/database/logins.sh")];
  const { code, output } = await engine.run({ name: "logins", words, env, mounts: new Map() });
  assertEquals([code, output], [0, ""]);
}

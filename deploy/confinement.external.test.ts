import { readFileSync, statSync } from "node:fs";
import { BlockList, isIPv6 } from "node:net";
import { dirname, join } from "node:path";
import { before, describe, it } from "node:test";
import { assert, assertEquals, assertMatch } from "@std/assert";
import { type Project, readCompose } from "./compose_fixture.ts";
import { type Manifest, manifestFiles, readYaml } from "./manifests_fixture.ts";
import { makeCheckout, ROOT } from "./site_fixture.ts";
import { temporaryFolder } from "../tools/testing/temporary_folder.ts";

/** The longest time that one attempt to send a webhook may take. */
const ATTEMPT_SECONDS = 15;

/**
 * Checks the security and availability rules of this project's pods. Kubernetes' schemas cannot express them.
 */
describe("security and availability rules of deploy/kubernetes", () => {
  const manifests = readYaml<Manifest>(ROOT, manifestFiles(join(ROOT, "deploy/kubernetes")));
  const ofKind = (kind: string) => manifests.filter((one) => one.kind === kind);
  const owners = manifests.filter(({ spec }) => spec?.template);
  const containers = owners.flatMap(({ spec }) => {
    const { initContainers = [], containers } = spec!.template!.spec;
    return [...initContainers, ...containers];
  });

  it("gives no pod a root user, a capability, a writable root file system or a Kubernetes API token", () => {
    for (const { metadata, spec } of owners) {
      const pod = spec!.template!.spec;
      const user = { runAsNonRoot: true, runAsUser: 1000, runAsGroup: 1000, fsGroup: 1000 };
      assertEquals(
        [metadata.name, pod.automountServiceAccountToken, pod.securityContext],
        [metadata.name, false, { ...user, seccompProfile: { type: "RuntimeDefault" } }],
      );
    }
    for (const { name, securityContext } of containers) {
      const confined = {
        allowPrivilegeEscalation: false,
        readOnlyRootFilesystem: true,
        capabilities: { drop: ["ALL"] },
      };
      assertEquals([name, securityContext], [name, confined]);
    }
    assertEquals(containers.length, 7);
  });

  it("sets resource requests and a memory limit for each container", () => {
    for (const { name, resources } of containers) {
      assert(
        resources?.requests && resources.limits?.memory,
        `${name} has no resource requests or no memory limit`,
      );
    }
  });

  it("keeps serving partners during a rollout and while a node is drained", () => {
    const labelsOf = (one: Manifest) => one.spec!.selector!.matchLabels;
    for (const deployment of ofKind("Deployment")) {
      const { replicas, strategy, template } = deployment.spec!;
      assert(replicas! >= 2);
      assertEquals(strategy, { rollingUpdate: { maxUnavailable: 0, maxSurge: 1 } });
      assertEquals(labelsOf(deployment), template!.metadata.labels);
      assertEquals(
        ofKind("PodDisruptionBudget").filter((one) => sameLabels(labelsOf(one), labelsOf(deployment))).length,
        1,
      );
      const ready = template!.spec.containers.filter((one) =>
        one.readinessProbe && one.livenessProbe && one.startupProbe
      );
      assertEquals(ready.length, template!.spec.containers.length);
    }
  });

  it("sets a termination grace period longer than the preStop hook and the service's shutdown", () => {
    const api = owners.find(({ metadata }) => metadata.name === "gold-api")!.spec!.template!.spec;
    const numberAfter = (words: readonly string[], flag: string) => Number(words[words.indexOf(flag) + 1]);
    const drainSeconds = numberAfter(api.containers[0]!.lifecycle!.preStop!.exec!.command, "--seconds");
    const envoy = api.initContainers!.find(({ name }) => name === "envoy")!;
    assert(
      drainSeconds > numberAfter(envoy.command, "--drain-time-s"),
      "the hook ends before Envoy is drained",
    );
    assert(
      api.terminationGracePeriodSeconds! >= drainSeconds + 20,
      "the service would be killed while it still answers: 20 s must remain after the drain",
    );
    const delivery = owners.find(({ metadata }) => metadata.name === "gold-delivery")!.spec!.template!.spec;
    assert(
      delivery.terminationGracePeriodSeconds! >= ATTEMPT_SECONDS + 10,
      "delivery is killed before it has recorded its attempts",
    );
    assertEquals([envoy.restartPolicy, api.initContainers!.at(-1)!.name], ["Always", "envoy"]);
  });

  it("allows only partners and Prometheus as ingress, and only DNS, the database and webhooks as egress", () => {
    const policies = new Map(ofKind("NetworkPolicy").map((policy) => [policy.metadata.name, policy.spec!]));
    assertEquals<unknown>(policies.get("gold-deny"), { podSelector: {}, policyTypes: ["Ingress", "Egress"] });
    const portsOf = (rules: { ports?: readonly { port: number }[] }[] = []) =>
      rules.flatMap(({ ports = [{ port: 0 }] }) => ports.map(({ port }) => port));
    const opened = [...policies].map(([name, { ingress, egress, podSelector }]) => [
      name,
      podSelector!.matchLabels?.["app.kubernetes.io/component"] ?? "every pod",
      portsOf(ingress as []),
      portsOf(egress as []),
    ]);
    assertEquals(opened, [
      ["gold-deny", "every pod", [], []],
      ["gold-database", "every pod", [], [53, 53, 5432]],
      ["gold-partners", "api", [8443], []],
      ["gold-metrics", "every pod", [9466], []],
      ["gold-webhooks", "delivery", [], [443, 8443]],
    ]);
  });

  it("lets only Prometheus connect to the metrics, whose listener no Service names", () => {
    const { ingress } = ofKind("NetworkPolicy").find(({ metadata }) => metadata.name === "gold-metrics")!
      .spec!;
    assertEquals<unknown>(ingress!.map(({ from }) => from), [[{
      namespaceSelector: { matchLabels: { "kubernetes.io/metadata.name": "monitoring" } },
      podSelector: { matchLabels: { "app.kubernetes.io/name": "prometheus" } },
    }]]);
    const serving = ["gold-api", "gold-delivery"].map((name) =>
      owners.find(({ metadata }) => metadata.name === name)!.spec!.template!.spec.containers[0]!.ports
    );
    const metrics = [{ name: "metrics", containerPort: 9466 }];
    assertEquals<unknown>(serving, [metrics, metrics]);
    const { METRICS_LISTEN } = ofKind("ConfigMap").find(({ metadata }) => metadata.name === "gold-settings")!
      .data!;
    assertEquals(METRICS_LISTEN, "0.0.0.0:9466");
    assertEquals(ofKind("Service").map(({ spec }) => spec!.ports!.map(({ targetPort }) => targetPort)), [[
      "mtls",
    ]]);
  });

  it("allows webhooks only to public addresses", () => {
    const policy = ofKind("NetworkPolicy").find(({ metadata }) => metadata.name === "gold-webhooks");
    const blocks = policy!.spec!.egress!.flatMap(({ to = [] }) => to.map(({ ipBlock }) => ipBlock!));
    const isReached = (address: string) =>
      blocks.some(({ cidr, except }) => isWithin([cidr], address) && !isWithin(except!, address));
    assertEquals(PUBLIC.filter((address) => !isReached(address)), []);
    assertEquals(FORBIDDEN.filter(isReached), []);
  });

  it("gives delivery the sealing key, and not the pepper", () => {
    const pod = owners.find(({ metadata }) => metadata.name === "gold-delivery")!.spec!.template!.spec;
    const secrets = pod.volumes!.flatMap(({ secret }) => secret ? [secret] : []);
    assertEquals(secrets.map(({ items }) => items?.map(({ key }) => key)), [["sealing_key"]]);
  });

  it("keeps the heads of api and delivery in one file on a volume that all pods share", () => {
    const { HEADS_FILE = "" } = ofKind("ConfigMap").find(({ metadata }) => metadata.name === "gold-settings")!
      .data!;
    const claims = ["gold-api", "gold-delivery"].map((name) => {
      const { containers, volumes } = owners.find(({ metadata }) => metadata.name === name)!.spec!.template!
        .spec;
      const mount = containers[0]!.volumeMounts!.find(({ mountPath }) => mountPath === dirname(HEADS_FILE));
      return volumes!.find((volume) => volume.name === mount?.name)?.persistentVolumeClaim?.claimName;
    });
    assertEquals(claims, ["gold-heads", "gold-heads"]);
    const [claim] = ofKind("PersistentVolumeClaim");
    assertEquals([claim!.metadata.name, claim!.spec!.accessModes], ["gold-heads", ["ReadWriteMany"]]);
  });

  it("contains no secret value", () => {
    assertEquals(ofKind("Secret"), []);
    const urls = JSON.stringify(manifests).match(/postgres(ql)?:\/\/|BEGIN [A-Z ]*KEY|whsec_/g);
    assertEquals(urls, null);
  });
});

/**
 * The services of each project that run third-party images. Their containers are not restricted further. With
 * three nodes, the service `database` only creates the database.
 */
const FOREIGN = {
  "docker-compose.yml": ["database", "prometheus", "grafana"],
  "docker-compose.yml deploy/patroni/compose.yaml": ["prometheus", "grafana"],
};

for (const [files, foreign] of Object.entries(FOREIGN)) {
  describe(`security rules of ${files}`, () => {
    const folder = temporaryFolder("compose-confinement");
    let project: Project;
    before(() => {
      makeCheckout(folder);
      const read = readCompose(ROOT, ...files.split(" ").map((file) => join(folder, file)));
      if (typeof read === "string") throw new Error(read);
      project = read;
    });
    const services = () => Object.entries(project.services);

    it("gives our containers no root, capability or writable image, and publishes ports on loopback", () => {
      for (const [name, { read_only, cap_drop, security_opt, ports = [] }] of services()) {
        assertEquals([name, ports.filter(({ host_ip }) => host_ip !== "127.0.0.1")], [name, []]);
        if (foreign.includes(name)) continue;
        assertEquals(
          [name, read_only, cap_drop, security_opt],
          [name, true, ["ALL"], ["no-new-privileges:true"]],
        );
      }
      assertMatch(readFileSync(join(ROOT, "Dockerfile"), "utf8"), /^USER 1000:1000$/m);
    });

    it("bounds the size of each container's log", () => {
      const unbounded = services().filter(([, { logging }]) =>
        !logging?.options?.["max-size"] || !logging.options["max-file"]
      );
      assertEquals(unbounded.map(([name]) => name), []);
    });

    it("mounts the service's socket only in api, Envoy and the containers that write Envoy's files", () => {
      const mounting = services().filter(([, { volumes }]) =>
        volumes?.some(({ source }) => source === "run")
      );
      assertEquals(mounting.map(([name]) => name).sort(), ["api", "config", "envoy", "trust-sync"]);
    });

    it("keeps the heads of api and delivery in one file, not on the volume of the database", () => {
      const keeping = services().filter(([, { volumes }]) =>
        volumes?.some(({ source }) => source === "heads")
      );
      assertEquals(
        keeping.map(([name, { environment }]) => [name, environment?.HEADS_FILE]),
        ["api", "delivery"].map((name) => [name, "/run/heads/heads.json"]),
      );
    });

    it("hides its secrets from other users of the machine, but lets each container read its secrets", () => {
      const modeOf = (path: string) => statSync(path).mode & 0o777;
      const secrets = join(folder, ".gold/compose");
      assertEquals([modeOf(secrets), modeOf(join(secrets, "ca.key"))], [0o700, 0o400]);
      const mounted = services().flatMap(([, { volumes = [] }]) => volumes.map(({ source }) => source));
      const given = Object.values(project.secrets).map(({ file }) => file);
      const own = [...mounted, ...given].filter((path) => path.startsWith(secrets));
      assert(own.length > 10);
      // The container's user must be able to enter each folder and to read each file.
      const unread = own.filter((path) => !(modeOf(path) & (statSync(path).isDirectory() ? 0o001 : 0o004)));
      assertEquals(unread, []);
    });
  });
}

/** Public addresses on the internet. */
const PUBLIC = "1.1.1.1 9.9.9.9 172.32.0.1 223.255.255.254 2001:4860:4860::8888 2606:4700::1111".split(" ");
/** Addresses of private networks, nodes, the pod itself and cloud metadata, and reserved addresses. */
const FORBIDDEN = [
  "0.0.0.1 10.0.0.1 100.64.0.1 127.0.0.1 169.254.169.254 172.16.0.1 192.0.0.192 192.168.0.1",
  "100.100.100.200 168.63.129.16 198.18.0.1 224.0.0.1 240.0.0.1 255.255.255.255",
  ":: ::1 ::ffff:a00:1 64:ff9b::a00:1 fc00::1 fd00:ec2::254 fe80::1 fec0::1 ff02::1",
  "2001::1 2001:db8::1 2002:a00:1::1 3fff::1",
].join(" ").split(" ");

function isWithin(ranges: readonly string[], address: string): boolean {
  const familyOf = (text: string) => isIPv6(text) ? "ipv6" : "ipv4";
  const list = new BlockList();
  for (const range of ranges) {
    const [first = "", bits] = range.split("/");
    list.addSubnet(first, Number(bits), familyOf(first));
  }
  return list.check(address, familyOf(address));
}

const sameLabels = (left: unknown, right: unknown) => JSON.stringify(left) === JSON.stringify(right);

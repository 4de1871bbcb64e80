import { join } from "node:path";
import { describe, it } from "node:test";
import { assert, assertEquals } from "@std/assert";
import { type Manifest, manifestFiles, readYaml } from "./manifests_trial.ts";
import { ROOT } from "./site_trial.ts";

/** What the schemas cannot know: what the house promises of its pods. */
describe("deploy/kubernetes confines what it runs", () => {
  const manifests = readYaml<Manifest>(ROOT, manifestFiles(join(ROOT, "deploy/kubernetes")));
  const ofKind = (kind: string) => manifests.filter((one) => one.kind === kind);
  const owners = manifests.filter(({ spec }) => spec?.template);
  const containers = owners.flatMap(({ spec }) => {
    const { initContainers = [], containers } = spec!.template!.spec;
    return [...initContainers, ...containers];
  });

  it("gives no pod a root user, a capability, a writable image or a token to Kubernetes", () => {
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
    assertEquals(containers.length, 6);
  });

  it("asks for what each container needs, and bounds its memory", () => {
    for (const { name, resources } of containers) {
      assert(
        resources?.requests && resources.limits?.memory,
        `${name} has no requests, or no bound of its memory`,
      );
    }
  });

  it("keeps partners served while a version is rolled out or a node is emptied", () => {
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

  it("waits longer for a pod to end than its hook and the service take", () => {
    const api = owners.find(({ metadata }) => metadata.name === "gold-api")!.spec!.template!.spec;
    const numberAfter = (words: readonly string[], flag: string) => Number(words[words.indexOf(flag) + 1]);
    const drainSeconds = numberAfter(api.containers[0]!.lifecycle!.preStop!.exec!.command, "--seconds");
    const envoy = api.initContainers!.find(({ name }) => name === "envoy")!;
    assert(
      drainSeconds > numberAfter(envoy.command, "--drain-time-s"),
      "the hook gives up before Envoy is drained",
    );
    assert(
      api.terminationGracePeriodSeconds! >= drainSeconds + 20,
      "the service is killed while it still answers",
    );
    assertEquals([envoy.restartPolicy, api.initContainers!.at(-1)!.name], ["Always", "envoy"]);
  });

  it("lets nothing in but partners, and nothing out but names, the database and webhooks", () => {
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
      ["gold-webhooks", "delivery", [], [443]],
    ]);
  });

  it("holds no value of a secret", () => {
    assertEquals(ofKind("Secret"), []);
    const urls = JSON.stringify(manifests).match(/postgres(ql)?:\/\/|BEGIN [A-Z ]*KEY|whsec_/g);
    assertEquals(urls, null);
  });
});

const sameLabels = (left: unknown, right: unknown) => JSON.stringify(left) === JSON.stringify(right);

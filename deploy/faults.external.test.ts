import { cpSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { before, describe, it } from "node:test";
import { assert, assertEquals, assertStringIncludes, assertThrows } from "@std/assert";
import { readCompose } from "./compose_fixture.ts";
import { figuresAsked, isShown } from "../tools/testing/figures.ts";
import { readDockerfile, stageImage } from "./image_fixture.ts";
import { manifestFaults, manifestFiles, readYaml } from "./manifests_fixture.ts";
import { makeCheckout, ROOT } from "./site_fixture.ts";
import { temporaryFolder } from "../tools/testing/temporary_folder.ts";

/**
 * Tests of the external checks: each check must find a fault that the test puts into a file. Otherwise nobody
 * would notice a check that accepts every file.
 */
describe("external checks of the deployment files", () => {
  const folder = temporaryFolder("deploy-faults");
  before(() => {
    makeCheckout(join(folder, "checkout"));
  });

  /** Writes a copy of the checkout's file, beside the original, with one passage replaced. */
  function plant(file: string, sound: string, fault: string): string {
    const text = readFileSync(join(folder, "checkout", file), "utf8");
    assertStringIncludes(text, sound);
    const planted = join(folder, "checkout", file.replace(/(\.\w+)$/, "_planted$1"));
    writeFileSync(planted, text.replace(sound, () => fault));
    return planted;
  }

  it("reject a compose file that a container engine would reject", () => {
    const faults = [
      ["    read_only: true", "    readonly: true", "readonly"],
      ['network_mode: "service:network"', 'network_mode: "service:net"', "net"],
      ["secrets: [pepper, sealing_key]", "secrets: [peper]", "peper"],
      ["condition: service_healthy", "condition: service_well", "condition"],
      ["env_file: [.gold/compose/api.env]", "env_file: [.gold/compose/gone.env]", "gone.env"],
    ] as const;
    for (const [sound, fault, says] of faults) {
      const answer = readCompose(ROOT, plant("docker-compose.yml", sound, fault));
      assert(typeof answer === "string", `${fault} was accepted`);
      assertStringIncludes(answer, says);
    }
  });

  it("reject a manifest that a cluster would reject, or whose unknown fields a cluster would drop", () => {
    const faults = [
      ["api.yaml", "replicas: 2", "replica: 2", "replica"],
      ["api.yaml", "restartPolicy: Always", "restartPolicy: [Always]", "restartPolicy"],
      ["delivery.yaml", "readinessProbe:", "readynessProbe:", "readynessProbe"],
      ["migration.yaml", "backoffLimit: 3", "backoffLimit: three", "three"],
      ["network_policies.yaml", "podSelector: {}", "podSelector: []", "podSelector"],
      ["disruption_budgets.yaml", "policy/v1", "policy/v7", "policy/v7"],
    ] as const;
    for (const [file, sound, fault, says] of faults) {
      const planted = plant(`deploy/kubernetes/${file}`, sound, fault);
      assertStringIncludes(manifestFaults(ROOT, [planted]), says);
    }
    assertThrows(
      () => readYaml(ROOT, [plant("deploy/kubernetes/service.yaml", "spec:", "spec: [")]),
      Error,
      "Not YAML",
    );
  });

  it("reject alerts and expressions that Prometheus would reject, and find a missing metric", () => {
    const alarms = "deploy/prometheus/alerts.yaml";
    const faults = [
      ["up == 0", "up ==", "parse error"],
      ["for: 30s", "until: 30s", "until"],
      ["alert: NothingServes", "alarm: NothingServes", "alarm"],
    ] as const;
    for (const [sound, fault, says] of faults) {
      const answer = figuresAsked(ROOT, plant(alarms, sound, fault), []);
      assert(typeof answer === "string", `${fault} was accepted`);
      assertStringIncludes(answer, says);
    }
    const sound = join(ROOT, alarms);
    assert(typeof figuresAsked(ROOT, sound, ["rate(x[5m)"]) === "string");
    const asked = figuresAsked(ROOT, sound, ['rate(shown_total{a="b"}[5m]) / gone']).slice(0, 2);
    assertEquals<unknown>(asked, [{ name: "shown_total", labels: { a: "b" } }, { name: "gone", labels: {} }]);
    const page = 'shown_total{a="b",c="d"} 1\nshown_total_sum 1\n';
    const shows = (name: string, labels = {}) => isShown({ name, labels }, page);
    assertEquals([shows("shown_total", { a: "b" }), shows("shown_total", { a: "d" }), shows("shown")], [
      true,
      false,
      false,
    ]);
  });

  it("reject a Dockerfile that copies an ignored file, and a Dockerfile that they cannot parse", () => {
    assertThrows(() => readDockerfile("FROM a\n  COPY b c\n"), Error, "cannot parse");
    const planted = join(folder, "planted");
    cpSync(join(ROOT, ".dockerignore"), join(planted, ".dockerignore"));
    for (const copied of ["README.md", "packages/server/src/fixture.ts", ".gold/compose/pepper"]) {
      writeFileSync(join(planted, "Dockerfile"), `COPY ${copied} ./\n`);
      cpSync(join(ROOT, "README.md"), join(planted, copied));
      assertThrows(
        () => stageImage(planted, join(folder, "image")),
        Error,
        ".dockerignore excludes this path",
      );
    }
  });

  it("list every manifest in the folder", () => {
    assertEquals(manifestFiles(join(ROOT, "deploy/kubernetes")).length, 10);
  });
});

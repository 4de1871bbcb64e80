import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, it } from "node:test";
import { assertEquals } from "@std/assert";
import { ROOT } from "../test/tier.ts";
import { TOOLS } from "./pinned_tools.ts";

const { envoy, imageNode, k6, prometheusRules } = TOOLS;

/** Returns every version of the image that the files name. */
function versionsOf(image: string, ...files: string[]): string[] {
  const text = files.map((file) => readFileSync(join(ROOT, file), "utf8")).join("\n");
  return [
    ...new Set(
      [...text.matchAll(new RegExp(`\\b${image}:v?([0-9.]+[0-9])`, "g"))].map(([, version]) => version!),
    ),
  ];
}

const versionIn = (text: string) => /[0-9]+(?:\.[0-9]+)+/.exec(text)![0];

describe("the external tools for the container tests", () => {
  it("have the same versions as the images", () => {
    assertEquals(versionsOf("node", "Dockerfile"), [versionIn(imageNode.version)]);
    const envoys = versionsOf("envoyproxy/envoy", "docker-compose.yml", "deploy/kubernetes/api.yaml");
    assertEquals(envoys, [versionIn(envoy.version)]);
    assertEquals(versionsOf("grafana/k6", "docker-compose.yml"), [versionIn(k6.version)]);
    // Convert the version: the library of Prometheus 3.5.0 has the version 0.305.0.
    const [, major, minor, patch] = /0\.(\d)(\d\d)\.(\d+)/.exec(prometheusRules.version)!;
    assertEquals(versionsOf("prom/prometheus", "docker-compose.yml"), [`${major}.${Number(minor)}.${patch}`]);
  });
});

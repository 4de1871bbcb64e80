import { spawnSync } from "node:child_process";
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import process from "node:process";
import { describe, it } from "node:test";
import { fileURLToPath } from "node:url";
import { assertEquals } from "@std/assert";
import { temporaryFolder } from "../tools/testing/temporary_folder.ts";

const FOLDER = fileURLToPath(new URL(".", import.meta.url));
const DIGEST = `sha256:${"0123456789abcdef".repeat(4)}`;

const run = (program: string, args: readonly string[], input: string, path = process.env.PATH) => {
  const { status, stdout, stderr } = spawnSync(join(FOLDER, program), args, {
    input,
    encoding: "utf8",
    env: { ...process.env, PATH: path },
  });
  return [status, stdout, stderr];
};
const manifests = (): string =>
  readdirSync(join(FOLDER, "kubernetes")).map((name) =>
    readFileSync(join(FOLDER, "kubernetes", name), "utf8")
  )
    .join("---\n");

describe("the image", () => {
  it("contains each package that its programs depend on, and no other", () => {
    const text = (path: string) => readFileSync(join(FOLDER, "..", path), "utf8");
    const needed = new Set(["server", "operator", "sidecar"]);
    // The loop also visits names that it adds to the Set.
    for (const name of needed) {
      const { dependencies = {} } = JSON.parse(text(`packages/${name}/package.json`));
      for (const dependency of Object.keys(dependencies)) {
        if (dependency.startsWith("@gold-partner/")) {
          needed.add(dependency.split("/")[1]!.replaceAll("-", "_"));
        }
      }
    }
    const named = (path: string, line: RegExp) =>
      [...text(path).matchAll(line)].map(([, name]) => name).sort();
    assertEquals(named(".dockerignore", /^!packages\/(\w+)$/gm), [...needed].sort());
    assertEquals(named("Dockerfile", /^COPY packages\/(\w+)\/package\.json /gm), [...needed].sort());
  });
});

describe("deploy/check_images", () => {
  it("rejects manifests with image tags, lists each image once, and accepts manifests with digests", () => {
    assertEquals(run("check_images", [], manifests()), [
      1,
      "",
      "These images have no digest; run deploy/pin_images for them:\n" +
      "envoyproxy/envoy:v1.40.0\ngold-trading-partner-service\nhaproxy:2.6\n",
    ]);
    const pinned = manifests().replace(/image: (\S+)/g, `image: $1@${DIGEST}`);
    assertEquals(run("check_images", [], pinned), [0, "", ""]);
    assertEquals(run("check_images", [], pinned.replace(DIGEST, "sha256:0123"))[0], 1);
    assertEquals(run("check_images", [], pinned.replace(/image: (haproxy)\S+/, 'image: "$1:2.6"'))[0], 1);
    assertEquals(run("check_images", [], "")[0], 1);
  });
});

describe("deploy/pin_images", () => {
  it("prints the images section of an overlay with the digests from the registries", () => {
    const folder = temporaryFolder("gold-pin");
    const path = `${folder}:${process.env.PATH}`;
    // A script in place of docker, which test machines lack. It prints a digest for two images and fails for
    // every other image.
    writeFileSync(
      join(folder, "docker"),
      `#!/bin/sh\n[ "$6" = haproxy:2.6 ] || [ "$6" = own.example/gold:1 ] && echo ${DIGEST}\n`,
      { mode: 0o755 },
    );
    assertEquals(
      run("pin_images", ["haproxy:2.6", "gold-trading-partner-service=own.example/gold:1"], "", path),
      [
        0,
        `images:\n  - name: haproxy\n    newName: haproxy\n    digest: ${DIGEST}\n` +
        `  - name: gold-trading-partner-service\n    newName: own.example/gold\n    digest: ${DIGEST}\n`,
        "",
      ],
    );
    assertEquals(run("pin_images", ["other:1"], "", path)[0], 1);
    assertEquals(run("pin_images", [], "", path)[0], 2);
    for (const wrong of ["gold=own.example:5000/gold", "haproxy", `haproxy:2.6@${DIGEST}`]) {
      assertEquals(run("pin_images", [wrong], "", path).slice(0, 2), [2, ""]);
    }
  });
});

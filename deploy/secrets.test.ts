import { readdirSync, readFileSync } from "node:fs";
import { describe, it } from "node:test";
import { assertEquals } from "@std/assert";
const MANIFESTS = new URL("kubernetes/", import.meta.url);
const PAGE = new URL("../docs/security_model.md", import.meta.url);

/** The Secrets that each container gets in its environment or as files. `NAME/KEY` is one key of a Secret. */
function secretsOfContainers(): Map<string, string[]> {
  const found = new Map<string, string[]>();
  for (const file of readdirSync(MANIFESTS).filter((name) => name.endsWith(".yaml"))) {
    const text = readFileSync(new URL(file, MANIFESTS), "utf8");
    // The containers and the volumes of the manifest are its only entries at this indentation.
    const entries = text.split(/^ {8}- name: /m).slice(1).map((entry) =>
      [entry.split("\n")[0]!, entry] as const
    );
    const volumes = new Map(entries.flatMap(([name, entry]) => {
      const secret = /secretName: ([\w-]+)/.exec(entry)?.[1];
      const keys = Array.from(entry.matchAll(/\{ key: (\w+), path/g), ([, key]) => `${secret}/${key}`);
      return secret === undefined ? [] : [[name, keys.length > 0 ? keys : [secret]] as const];
    }));
    for (const [name, entry] of entries) {
      if (!/^ {10}image: /m.test(entry)) continue;
      const variables = Array.from(
        entry.matchAll(/secretKeyRef: \{ name: ([\w-]+)/g),
        ([, secret]) => secret!,
      );
      const mounts = Array.from(entry.matchAll(/- \{ name: ([\w-]+), mountPath/g), ([, volume]) => volume!);
      found.set(name, [...variables, ...mounts.flatMap((volume) => volumes.get(volume) ?? [])].sort());
    }
  }
  return found;
}

describe("the secrets of the containers", () => {
  it("are those that docs/security_model.md lists", () => {
    const section = readFileSync(PAGE, "utf8").split("\n## What a machine holds\n")[1]!.split("\n## ")[0]!;
    const listed = Array.from(
      section.matchAll(/^\| `([\w-]+)` +\| (.+) \|$/gm),
      ([, name, cell]) =>
        [name!, Array.from(cell!.matchAll(/`([^`]+)`/g), ([, secret]) => secret!).sort()] as const,
    );
    assertEquals(listed.length, 7);
    assertEquals(new Map(listed), secretsOfContainers());
  });
});

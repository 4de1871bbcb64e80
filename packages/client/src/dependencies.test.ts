import { readdirSync, readFileSync } from "node:fs";
import { describe, it } from "node:test";
import { fileURLToPath } from "node:url";
import { assert, assertEquals } from "@std/assert";
const PUBLISHED = ["canonical", "jws", "protocol"].map((name) => `@gold-partner/${name}`);
const FOLDER = fileURLToPath(new URL("./", import.meta.url));

describe("the client package", () => {
  it("imports only the runtime and its three published sibling packages", () => {
    const sources = readdirSync(FOLDER).filter((name) =>
      /^[a-z_]+\.ts$/.test(name) && !name.endsWith("_fixture.ts")
    );
    const taken = sources.flatMap((name) => {
      const text = readFileSync(FOLDER + name, "utf8");
      return [...text.matchAll(/^(?:import|export|\}).* from "([^"]+)";$/gm)].map(([, specifier]) =>
        specifier!
      );
    });
    const foreign = new Set(taken.filter((specifier) => !/^(?:node:|\.\/)/.test(specifier)));
    assert(taken.length > sources.length);
    assertEquals([...foreign].sort(), PUBLISHED);
    const manifest = JSON.parse(readFileSync(`${FOLDER}../package.json`, "utf8"));
    assertEquals(Object.keys(manifest.dependencies).sort(), PUBLISHED);
  });
});

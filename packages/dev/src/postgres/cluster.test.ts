import * as fs from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, it } from "node:test";
import { assert, assertEquals, assertRejects } from "@std/assert";
import { removeFolder } from "./remove_folder.ts";
import { type Binaries, findBinaries } from "./binaries.ts";
import { type Cluster, openCluster } from "./cluster.ts";
import { PostgresStartError } from "./error.ts";
import { startPostgres } from "./start_postgres.ts";
import { kill, makeFolder, readStarted, startElsewhere } from "./fixture.ts";

describe("openCluster()", () => {
  let folder: string;
  let dataDir: string;
  let binaries: Binaries;

  beforeEach(async () => {
    folder = makeFolder();
    dataDir = join(folder, "postgres");
    binaries = await findBinaries();
  });

  afterEach(() => removeFolder(folder));

  const open = (): Promise<Cluster> => openCluster(dataDir, binaries, () => {});

  /**
   * Waits until initdb has created `file` in a draft. Returns false if initdb had finished before the test
   * saw it.
   */
  async function draftHolds(file: string): Promise<boolean> {
    const drafts = (): string[] => fs.readdirSync(folder).filter((name) => name.includes(".new-"));
    const holds = (): boolean =>
      drafts().some((draft) => fs.existsSync(join(folder, draft, "cluster", file)));
    const untilMs = performance.now() + 30_000;
    // Poll without a pause, because the draft exists only for a short time.
    while (!holds()) {
      if (fs.existsSync(dataDir)) return false;
      assert(performance.now() < untilMs, `initdb did not create "${file}" in time`);
      await new Promise((resolve) => setImmediate(resolve));
    }
    return true;
  }

  /**
   * Kills a start as soon as its draft contains the file `reached`. An empty name means the cluster's folder.
   * If initdb was faster than this test, removes the cluster and tries again.
   */
  async function interrupt(reached: string): Promise<void> {
    for (let tries = 0; tries < 10; tries++) {
      const child = startElsewhere(dataDir);
      const seen = await draftHolds(reached);
      if (!seen) await readStarted(child);
      await kill(child);
      if (seen && !fs.existsSync(dataDir)) return;
      await (await startPostgres({ dataDir })).stop();
      await removeFolder(dataDir);
    }
    assert(false, `no start was killed between the creation of "${reached}" and the end of initdb`);
  }

  it("starts over if the creation of the cluster was interrupted at any point", async () => {
    for (const reached of ["", "PG_VERSION", "base/1/PG_VERSION"]) {
      await interrupt(reached);
      assertEquals(fs.existsSync(dataDir), false);
    }
    const { superuserPassword } = await open();
    assertEquals(superuserPassword.length, 43);
    assertEquals(fs.readdirSync(folder), ["postgres"]);
    assertEquals(fs.readdirSync(dataDir).sort(), ["cluster", "password"]);
    assertEquals(fs.statSync(join(dataDir, "password")).mode & 0o777, 0o600);
    assertEquals((await open()).superuserPassword, superuserPassword);
  });

  it("gives concurrent starts the same cluster and server", async () => {
    const start = () => startPostgres({ dataDir });
    const child = startElsewhere(dataDir);
    const elsewhere = readStarted(child);
    await draftHolds("");
    const [here, alsoHere, there] = await Promise.all([start(), start(), elsewhere]);
    await kill(child);
    const servers = [here, alsoHere, there];
    assertEquals(new Set(servers.map(({ pid }) => pid)).size, 1);
    assertEquals(servers.filter(({ reused }) => !reused).length, 1);
    assertEquals(fs.readdirSync(folder), ["postgres"]);
    await here.stop();
  });

  it("changes neither a folder that it did not create nor the draft of a running process", async () => {
    fs.mkdirSync(`${dataDir}.new-${process.pid}-abcdef`);
    fs.mkdirSync(join(dataDir, "cluster"), { recursive: true });
    fs.writeFileSync(join(dataDir, "PG_VERSION"), "18");
    await assertRejects(open, PostgresStartError, "Nothing was changed");
    assertEquals(fs.readdirSync(dataDir).sort(), ["PG_VERSION", "cluster"]);
    assertEquals(fs.readdirSync(folder).length, 2);
    fs.rmSync(dataDir, { recursive: true });
    fs.writeFileSync(dataDir, "a file");
    await assertRejects(open, PostgresStartError, "Choose another folder");
  });

  it("uses an empty folder, and reports what initdb printed when initdb fails", async () => {
    fs.mkdirSync(dataDir);
    const failing = { ...binaries, initdb: "/bin/ls" };
    await assertRejects(
      () => openCluster(dataDir, failing, () => {}),
      PostgresStartError,
      "unrecognized option",
    );
    assertEquals(fs.readdirSync(folder), ["postgres"]);
    await open();
    assertEquals(fs.readdirSync(dataDir).sort(), ["cluster", "password"]);
  });
});

import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, describe, it } from "node:test";
import { checkOut } from "../../testing/release/checkout.ts";
import { lastRelease } from "../../testing/release/history.ts";
import { assert, assertEquals } from "@std/assert";
import { openVersion } from "./version.ts";

const REQUESTS = 200;

describe("a version under comparison", () => {
  const dir = mkdtempSync(join(tmpdir(), "gold-against-"));
  after(() => rmSync(dir, { recursive: true, force: true }));

  it("starts the last release from its own tree, trades with it, and stops all its processes", async () => {
    const checkout = await checkOut(lastRelease().commit);
    try {
      const version = await openVersion("last release", checkout.root, dir);
      const started: number[] = [];
      const notePids = (): void => {
        const { pids } = JSON.parse(readFileSync(join(dir, "state", "run.json"), "utf8")) as {
          pids: Record<"start" | "postgres" | "server", number>;
        };
        const command = readFileSync(`/proc/${pids.server}/cmdline`, "utf8");
        assert(command.includes(checkout.root), command);
        started.push(...Object.values(pids));
      };
      try {
        notePids();
        await version.analyze();
        await version.restart();
        notePids();
        for (const operation of ["quote", "order"] as const) {
          await version.prepare(operation, REQUESTS);
          const before = version.readCpu();
          // A reply that is not 201 is an error.
          for (const _ of [1, 2]) assert(await version.send(REQUESTS / 2) > 0);
          await version.finish();
          if (operation === "quote") await version.keepQuotes();
          const cpu = version.readCpu();
          assert(cpu.serviceMs > before.serviceMs && cpu.postgresMs > before.postgresMs, operation);
        }
      } finally {
        await version.stop();
      }
      assertEquals(new Set(started).size, 6);
      assertEquals(started.filter((pid) => existsSync(`/proc/${pid}`)), []);
    } finally {
      await checkout.remove();
    }
  });

  it("names the version that did not start", async () => {
    const failing = mkdtempSync(join(dir, "empty-"));
    const error = await openVersion("an empty tree", failing, join(dir, "other")).then(() => "", String);
    assert(error.includes("an empty tree did not start"), error);
  });
});

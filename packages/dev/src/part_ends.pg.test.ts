import { mkdtemp, rm } from "node:fs/promises";
import { once } from "node:events";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import { assertEquals } from "@std/assert";
import { sendSignal } from "../../../tools/testing/send_signal.ts";
import { awaitEnd, endAll, readRun, type Started, startUntilReady } from "../testing/start.ts";
import { findFreePort, startPostgres } from "./postgres/mod.ts";

describe("npm start, when a part ends", () => {
  let folder: string;
  let state: string;
  let options: string[];
  before(async () => {
    folder = await mkdtemp(join(tmpdir(), "gold-part-ends-"));
    state = join(folder, "state");
    options = ["--port", `${await findFreePort()}`, "--no-demo"];
  });
  after(async () => {
    await endAll();
    await rm(folder, { recursive: true, force: true });
  });

  /** Ends one part, and expects that everything else ends with this sentence. */
  async function expectEnd(
    part: keyof Started["run"]["pids"],
    signal: NodeJS.Signals,
    sentence: string,
  ): Promise<void> {
    const { child, run, said } = await startUntilReady(state, ...options);
    const ended = once(child, "close");
    sendSignal(run.pids[part]!, signal);
    const [code] = await ended;
    assertEquals([code, said().trimEnd().split("\n").at(-1)], [1, sentence], said());
    await awaitEnd(...Object.values(run.pids));
    assertEquals(await readRun(state), undefined);
  }
  const log = (...parts: string[]) => `See its log: ${join(state, ...parts)}`;

  it("names Postgres and the signal that killed it", async () => {
    await expectEnd(
      "postgres",
      "SIGKILL",
      `Postgres was killed by SIGKILL. ${log("postgres", "postgres.log")}`,
    );
  });

  it("names Postgres that somebody stopped", async () => {
    await expectEnd(
      "postgres",
      "SIGINT",
      `Postgres exited unexpectedly (exit 0). ${log("postgres", "postgres.log")}`,
    );
  });

  it("names Postgres that was already running", async () => {
    await startPostgres({ dataDir: join(state, "postgres") });
    await expectEnd(
      "postgres",
      "SIGKILL",
      `Postgres, which was already running, ended. ${log("postgres", "postgres.log")}`,
    );
  });

  it("names the service and the signal that killed it", async () => {
    await expectEnd("server", "SIGKILL", `The service was killed by SIGKILL. ${log("log", "server.log")}`);
  });

  it("names the watchdog and the signal that killed it", async () => {
    await expectEnd(
      "watchdog",
      "SIGKILL",
      "The watchdog was killed by SIGKILL. Without it, the other processes would keep running if npm start were killed.",
    );
  });
});

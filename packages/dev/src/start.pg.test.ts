import { spawnSync } from "node:child_process";
import { once } from "node:events";
import { existsSync, realpathSync } from "node:fs";
import { mkdtemp, readdir, readFile, rm, stat, writeFile } from "node:fs/promises";
import type { IncomingMessage } from "node:http";
import { request } from "node:https";
import { constants, tmpdir } from "node:os";
import { join } from "node:path";
import process from "node:process";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { after, before, describe, it } from "node:test";
import { assert, assertEquals, assertMatch, assertNotEquals, assertStringIncludes } from "@std/assert";
import { isAlive } from "../../../tools/testing/is_alive.ts";
import { runtimeArguments } from "../../../tools/testing/runtime_arguments.ts";
import { sendSignal } from "../../../tools/testing/send_signal.ts";
import { until } from "../../../tools/testing/until.ts";
import { runDemo } from "./demo.ts";
import { asOperator } from "./operator.ts";
import type { Credentials } from "./partner.ts";
import { writeCsr } from "./partner_keys.ts";
import { generateKeyPair, statePointer } from "@gold-partner/operator";
import { findFreePort, findPostmaster } from "./postgres/mod.ts";
import {
  awaitEnd,
  endAll,
  executablesUnder,
  launch,
  readRun,
  type RunFile,
  runToEnd,
  type Started,
  startUntilReady,
} from "../testing/start.ts";

/** The start of the text that npm start prints once it serves. */
const READY = "\nReady in ";

/** Returns the status of GET /health for a client with these credentials. */
async function statusOf(
  baseUrl: string,
  held: Pick<Credentials, "ca" | "cert" | "key">,
): Promise<number | undefined> {
  const [ca, cert, key] = await Promise.all(
    [held.ca, held.cert, held.key].map((file) => readFile(file, "utf8")),
  );
  const outgoing = request(`${baseUrl}/health`, { ca, cert, key, agent: false } as object);
  outgoing.end();
  const [reply] = await once(outgoing, "response") as [IncomingMessage];
  reply.resume();
  return reply.statusCode;
}

describe("npm start", () => {
  let folder: string;
  let state: string;
  let port: string;
  before(async () => {
    folder = await mkdtemp(join(tmpdir(), "gold-start-"));
    state = join(folder, "state");
    port = `${await findFreePort()}`;
  });
  after(async () => {
    await endAll();
    await rm(folder, { recursive: true, force: true });
  });

  async function credentials(): Promise<Credentials> {
    const partners = await readdir(join(state, "partners"));
    assertEquals(partners.length, 1);
    return JSON.parse(await readFile(join(state, "partners", partners[0]!, "credentials.json"), "utf8"));
  }
  const holdings = async ({ run }: Started) => {
    const { client_id } = await credentials();
    const { sar_available, gold_grams } = await asOperator(run.database_url)("partner show", client_id);
    return [sar_available, gold_grams];
  };
  const killAllButPostgres = async ({ pids: { postgres: _, ...pids } }: Pick<RunFile, "pids">) => {
    for (const pid of Object.values(pids)) sendSignal(pid, "SIGKILL");
    await awaitEnd(...Object.values(pids));
  };
  const verify = async ({ run }: Started) => (await asOperator(run.database_url)("ledger verify")).clean;
  const trade = async () => {
    const steps: string[] = [];
    await runDemo(await credentials(), { report: (step) => steps.push(step) });
    return steps.length;
  };

  describe("on the first start", () => {
    let started: Started;
    before(async () => void (started = await startUntilReady(state, "--port", port)));
    after(() => started.stop());

    it("writes run.json with the base URL, the database URLs and the process ids", async () => {
      const { run, child } = started;
      assertEquals(Object.keys(run), ["base_url", "database_url", "second_database_url", "pids", "ready"]);
      assertEquals([run.base_url, run.pids.start], [`https://localhost:${port}`, child.pid!]);
      const logins = [run.database_url, run.second_database_url].map((url) => new URL(url).username);
      assertEquals(new Set(logins).size, 2);
      assert(!logins.includes("gold_api"));
      for (const pid of Object.values(run.pids)) assert(isAlive(pid));
    });

    it("onboards a partner with complete credentials, whose files exist under absolute paths", async () => {
      const held = await credentials();
      assertEquals(Object.keys(held).sort(), [
        "base_url",
        "ca",
        "cert",
        "client_id",
        "client_secret",
        "key",
        "signing_key",
        "webhook_secret",
      ]);
      for (const path of [held.ca, held.cert, held.key, held.signing_key]) {
        assert(path.startsWith(state), path);
        assertStringIncludes(await readFile(path, "utf8"), "-----BEGIN ");
      }
      assertEquals(held.ca, join(state, "pki", "ca.pem"));
    });

    it("makes secret files unreadable for other users", async () => {
      const { client_id, key, signing_key } = await credentials();
      const files = [
        join(state, "run.json"),
        join(state, "partners", client_id, "credentials.json"),
        join(state, "keys.json"),
        statePointer(started.run.database_url),
        key,
        signing_key,
        ...["server_key.pem", "receiver_key.pem"].map((name) => join(state, "pki", name)),
        ...(await readdir(join(state, "keys"))).map((name) => join(state, "keys", name)),
      ];
      assert(files.length >= 8);
      for (const file of files) assertEquals(((await stat(file)).mode & 0o077).toString(8), "0", file);
    });

    it("writes the file in which gold finds the keys, by DATABASE_URL from any folder and with any --state", async () => {
      const file = join(realpathSync(state), "keys.json");
      assertEquals((await stat(file)).mode & 0o777, 0o600);
      const named = Object.keys(JSON.parse(await readFile(file, "utf8")));
      assertEquals(named.map((name) => name.replace(/^ca:[0-9a-f]{64}$/, "ca")), [
        "pepper",
        "sealing_key",
        "ca",
      ]);
      const gold = (env: Record<string, string>, ...words: string[]) => {
        const main = fileURLToPath(new URL("../../operator/src/main.ts", import.meta.url));
        const { PATH = "" } = process.env;
        return spawnSync(process.execPath, [...runtimeArguments(main), ...words, "--json", "--yes"], {
          cwd: tmpdir(),
          env: { PATH, ...env },
          encoding: "utf8",
        });
      };
      const { database_url, second_database_url } = started.run;
      for (const DATABASE_URL of [database_url, second_database_url]) {
        for (const other of [[], ["--state", folder]]) {
          const crl = gold({ DATABASE_URL }, "cert", "crl", ...other);
          assertEquals([crl.stderr, crl.status], ["", 0]);
          const token = gold({ DATABASE_URL }, "key", "rotate", "webhook-kek", ...other);
          assertEquals([token.stderr, token.status], ["", 0]);
        }
      }
      const wrong = new URL(database_url);
      wrong.searchParams.set("application_name", "another");
      const lost = gold({ DATABASE_URL: wrong.href }, "key", "rotate", "webhook-kek");
      assertEquals([lost.status, JSON.parse(lost.stderr).code], [2, "key_place_unknown"]);
    });

    it("trades for its demo partner, and accepts further trades over mutual TLS", async () => {
      const [sar, grams] = await holdings(started);
      assert(Number(sar) > 0 && grams === "1", `${sar} SAR, ${grams} g`);
      assertEquals(await trade(), 9);
      assertEquals((await holdings(started))[1], "2");
      assertEquals(await verify(started), true);
    });

    it("accepts certificates of a new CA and of the earlier CA", async () => {
      const operator = asOperator(started.run.database_url);
      const held = await credentials();
      const pair = await generateKeyPair();
      await operator("key rotate ca --key", join(folder, "next_ca_key.pem"));
      const csr = await writeCsr(pair, { organization: "Example Bank", commonName: held.client_id });
      await writeFile(join(folder, "next.csr"), csr);
      const cert = join(folder, "next.pem");
      await operator("cert issue", held.client_id, "--csr", join(folder, "next.csr"), "--out", cert);
      const key = join(folder, "next_key.pem");
      await writeFile(key, pair.privateKeyPem);
      const callers = [{ cert, key }, held];
      const verdicts = () =>
        Promise.all(
          callers.map((one) => statusOf(started.run.base_url, { ...held, ...one }).catch(() => undefined)),
        );
      await until(async () => `${await verdicts()}` === "200,200");
    });

    it("runs every process except Postgres on the runtime that started it", () => {
      if (process.platform !== "linux") return;
      const { start, server, postgres } = started.run.pids;
      const own = realpathSync(process.execPath);
      const others = [...executablesUnder(start), ...executablesUnder(server)].filter((path) =>
        !path.endsWith("/bin/postgres")
      );
      assert(others.length >= 2);
      for (const path of others) assertEquals(path, own);
      assertMatch(executablesUnder(postgres)[0] ?? "/bin/postgres", /\/bin\/postgres$/);
    });

    it("keeps running when a second start in its state folder is refused with exit code 2", async () => {
      for (const more of [[], ["--reset"]]) {
        const { code, err } = await runToEnd("--state", state, "--port", `${await findFreePort()}`, ...more);
        assertEquals(code, 2);
        assertStringIncludes(err, "is already running");
      }
      assertEquals(await verify(started), true);
    });

    it("stops every process on SIGTERM with exit code 0, and removes run.json", async () => {
      assertEquals(await started.stop(), 0);
      await awaitEnd(...Object.values(started.run.pids));
      assertEquals(await readRun(state), undefined);
      assertEquals(existsSync(statePointer(started.run.database_url)), false);
    });
  });

  describe("on a later start", () => {
    it("keeps the partner, the keys and the books", async () => {
      const first = await credentials();
      const started = await startUntilReady(state, "--port", port, "--no-demo");
      assertEquals(await credentials(), first);
      assertEquals((await holdings(started))[1], "2");
      assertEquals(await trade(), 9);
      assertEquals(await verify(started), true);
      await started.stop();
    });

    it("recovers after everything except Postgres was killed, which then stops by itself", async () => {
      const { run } = await startUntilReady(state, "--port", port, "--no-demo");
      await killAllButPostgres(run);
      const started = await startUntilReady(state, "--port", port, "--no-demo");
      await awaitEnd(run.pids.postgres);
      assertEquals([await trade(), await verify(started)], [9, true]);
      await started.stop();
    });

    it("serves although the service refuses the demo's partner, which somebody suspended", async () => {
      const earlier = await startUntilReady(state, "--port", port, "--no-demo");
      const { client_id } = await credentials();
      await asOperator(earlier.run.database_url)(`partner suspend ${client_id}`);
      await earlier.stop();
      const started = await startUntilReady(state, "--port", port);
      await asOperator(started.run.database_url)(`partner resume ${client_id}`);
      await until(() => trade().then((steps) => steps === 9, () => false));
      assertEquals(await verify(started), true);
      await started.stop();
    });

    it("recovers after every process was killed", async () => {
      const { run } = await startUntilReady(state, "--port", port, "--no-demo");
      for (const pid of Object.values(run.pids)) sendSignal(pid, "SIGKILL");
      await awaitEnd(...Object.values(run.pids));
      const started = await startUntilReady(state, "--port", port, "--no-demo");
      assertEquals([await trade(), await verify(started)], [9, true]);
      await started.stop();
    });

    it("starts over with --reset after a run that was killed", async () => {
      const earlier = await credentials();
      const { run: { pids } } = await startUntilReady(state, "--port", port, "--no-demo");
      await killAllButPostgres({ pids });
      const started = await startUntilReady(state, "--port", port, "--reset", "--no-demo");
      assertNotEquals((await credentials()).client_id, earlier.client_id);
      assertEquals(await holdings(started), ["0", "0"]);
      await started.stop();
      await awaitEnd(pids.postgres);
    });

    it("moves to another port, updates the base URL in the credentials, and accepts signatures", async () => {
      const other = `${await findFreePort()}`;
      const started = await startUntilReady(state, "--port", other, "--no-demo");
      assertEquals((await credentials()).base_url, `https://localhost:${other}`);
      assertEquals(await trade(), 9);
      await started.stop();
    });
  });

  describe("when it gets a signal to stop", () => {
    it("exits with code 0 when Ctrl-C comes twice, and leaves no process behind", async () => {
      const started = await startUntilReady(state, "--port", port, "--no-demo");
      const ended = once(started.child, "close");
      for (const _ of [1, 2]) {
        if (started.child.exitCode === null) sendSignal(started.child.pid!, "SIGINT");
        await sleep(30);
      }
      const [code] = await ended;
      assertEquals(code, 0, started.said());
      await awaitEnd(...Object.values(started.run.pids));
    });

    it("stops all its processes if it is not ready yet, and exits with the signal's code", async () => {
      const stopEarly = async () => {
        const { child, ended, said } = launch(["--state", state, "--port", port]);
        while (!said().includes("✔ database") && child.exitCode === null) await sleep(5);
        sendSignal(child.pid!, "SIGTERM");
        return await ended;
      };
      let { code, err, out } = await stopEarly();
      // Try again if the start was ready before the signal, because this test was slow.
      for (let tries = 1; out.includes(READY) && tries < 5; tries++) ({ code, err, out } = await stopEarly());
      assertEquals([code, err], [128 + constants.signals.SIGTERM, "Stopped before it was ready.\n"]);
      assertEquals(findPostmaster(join(state, "postgres", "cluster")), undefined);
    });
  });

  it("prints one JSON object per step with --exit --json, and stops every process at the end", async () => {
    const { code, out, err } = await runToEnd("--state", state, "--port", port, "--exit", "--json");
    assertEquals([code, err], [0, ""]);
    const steps = out.trim().split("\n").map((line) =>
      JSON.parse(line) as { step: string; ms: number; what: string }
    );
    const flow = [
      "health",
      "token",
      "prices",
      "fund",
      "quote",
      "order",
      "webhook",
      "quote",
      "sell",
      "webhook",
      "withdrawal",
      "webhook",
    ];
    const names = [
      "database",
      "migrate",
      "authority",
      "vault",
      "service",
      "gateway",
      "partner",
      ...flow,
      "ready",
    ];
    assertEquals(steps.map(({ step }) => step), names);
    assertEquals(steps.filter(({ what }) => what.endsWith("arrived, and its signature is valid")).length, 3);
    assertEquals(steps.every(({ ms, what }) => Number.isInteger(ms) && what.length > 0), true);
    assertEquals(await readRun(state), undefined);
  });
});

import type { webcrypto } from "node:crypto";
import { spawnSync } from "node:child_process";
import { once } from "node:events";
import { realpathSync } from "node:fs";
import { mkdtemp, readdir, readFile, rename, rm, stat, writeFile } from "node:fs/promises";
import type { IncomingMessage } from "node:http";
import { request } from "node:https";
import { createServer } from "node:net";
import { constants, tmpdir } from "node:os";
import { join } from "node:path";
import process from "node:process";
import { setTimeout as sleep } from "node:timers/promises";
import { after, before, describe, it } from "node:test";
import { assert, assertEquals, assertMatch, assertNotEquals, assertStringIncludes } from "@std/assert";
import { runtimeArguments } from "./child.ts";
import { runDemo } from "./demo.ts";
import { asOperator } from "./operator.ts";
import type { Credentials } from "./partner.ts";
import { pem, writeCsr } from "./partner_keys.ts";
import { findFreePort } from "./postgres/mod.ts";
import { findPostmaster } from "./postgres/postmaster.ts";
import {
  awaitEnd,
  endAll,
  executablesUnder,
  isAlive,
  launch,
  MAIN,
  readRun,
  type RunFile,
  runToEnd,
  type Started,
  startUntilReady,
} from "./start_trial.ts";

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
  const asked = request(`${baseUrl}/health`, { ca, cert, key, agent: false } as object);
  asked.end();
  const [reply] = await once(asked, "response") as [IncomingMessage];
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
    for (const pid of Object.values(pids)) process.kill(pid, "SIGKILL");
    await awaitEnd(...Object.values(pids));
  };
  const verify = async ({ run }: Started) => (await asOperator(run.database_url)("ledger verify")).clean;
  const trade = async () => {
    const steps: string[] = [];
    await runDemo(await credentials(), { tell: (step) => steps.push(step) });
    return steps.length;
  };

  describe("at first", () => {
    let started: Started;
    before(async () => void (started = await startUntilReady(state, "--port", port)));
    after(() => started.stop());

    it("writes down where everything is", async () => {
      const { run, child } = started;
      assertEquals(Object.keys(run), ["base_url", "database_url", "second_database_url", "pids", "ready"]);
      assertEquals([run.base_url, run.pids.start], [`https://localhost:${port}`, child.pid!]);
      const logins = [run.database_url, run.second_database_url].map((url) => new URL(url).username);
      assertEquals(new Set(logins).size, 2);
      assert(!logins.includes("gold_api"));
      for (const pid of Object.values(run.pids)) assert(isAlive(pid));
    });

    it("onboards a partner whose credentials are whole: files that are there, by absolute paths", async () => {
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

    it("keeps what is secret from other users of the machine", async () => {
      const { client_id, key, signing_key } = await credentials();
      const files = [
        join(state, "run.json"),
        join(state, "partners", client_id, "credentials.json"),
        key,
        signing_key,
        ...["server_key.pem", "receiver_key.pem"].map((name) => join(state, "pki", name)),
        ...(await readdir(join(state, "keys"))).map((name) => join(state, "keys", name)),
      ];
      assert(files.length >= 8);
      for (const file of files) assertEquals(((await stat(file)).mode & 0o077).toString(8), "0", file);
    });

    it("has traded for its demo partner, and trades on over mutual TLS", async () => {
      const [sar, grams] = await holdings(started);
      assert(Number(sar) > 0 && grams === "1", `${sar} SAR, ${grams} g`);
      assertEquals(await trade(), 9);
      assertEquals((await holdings(started))[1], "2");
      assertEquals(await verify(started), true);
    });

    it("lets certificates in that a new authority signed, and the older one's too", async () => {
      const operator = asOperator(started.run.database_url);
      const held = await credentials();
      const pair = await crypto.subtle.generateKey({ name: "ECDSA", namedCurve: "P-256" }, true, [
        "sign",
        "verify",
      ]) as webcrypto.CryptoKeyPair;
      await operator("key rotate ca --key", join(folder, "next_ca_key.pem"));
      const csr = await writeCsr(pair, { organization: "Example Bank", commonName: held.client_id });
      await writeFile(join(folder, "next.csr"), csr);
      const cert = join(folder, "next.pem");
      await operator("cert issue", held.client_id, "--csr", join(folder, "next.csr"), "--out", cert);
      const key = join(folder, "next_key.pem");
      await writeFile(key, pem("PRIVATE KEY", await crypto.subtle.exportKey("pkcs8", pair.privateKey)));
      const callers = [{ cert, key }, held];
      const verdicts = () =>
        Promise.all(
          callers.map((one) => statusOf(started.run.base_url, { ...held, ...one }).catch(() => undefined)),
        );
      const until = performance.now() + 30_000;
      while (`${await verdicts()}` !== "200,200" && performance.now() < until) await sleep(100);
      assertEquals(await verdicts(), [200, 200]);
    });

    it("runs every process but Postgres on the runtime that started it", () => {
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

    it("lets nobody else use its folder meanwhile, with exit 2, and goes on", async () => {
      for (const more of [[], ["--reset"]]) {
        const { code, err } = await runToEnd("--state", state, "--port", `${await findFreePort()}`, ...more);
        assertEquals(code, 2);
        assertStringIncludes(err, "runs already");
      }
      assertEquals(await verify(started), true);
    });

    it("stops all of it on SIGTERM, with exit 0, and takes run.json along", async () => {
      assertEquals(await started.stop(), 0);
      await awaitEnd(...Object.values(started.run.pids));
      assertEquals(await readRun(state), undefined);
    });
  });

  describe("again", () => {
    it("keeps partner, keys and books", async () => {
      const first = await credentials();
      const started = await startUntilReady(state, "--port", port, "--no-demo");
      assertEquals(await credentials(), first);
      assertEquals((await holdings(started))[1], "2");
      assertEquals(await trade(), 9);
      assertEquals(await verify(started), true);
      await started.stop();
    });

    it("heals after a kill of everything but Postgres, which it takes over", async () => {
      const { run } = await startUntilReady(state, "--port", port, "--no-demo");
      await killAllButPostgres(run);
      const started = await startUntilReady(state, "--port", port, "--no-demo");
      assertEquals(started.run.pids.postgres, run.pids.postgres);
      assertEquals([await trade(), await verify(started)], [9, true]);
      await started.stop();
      await awaitEnd(run.pids.postgres);
    });

    it("heals after a kill of everything", async () => {
      const { run } = await startUntilReady(state, "--port", port, "--no-demo");
      for (const pid of Object.values(run.pids)) process.kill(pid, "SIGKILL");
      await awaitEnd(...Object.values(run.pids));
      const started = await startUntilReady(state, "--port", port, "--no-demo");
      assertEquals([await trade(), await verify(started)], [9, true]);
      await started.stop();
    });

    it("begins anew with --reset, and leaves no Postgres of the killed run behind", async () => {
      const earlier = await credentials();
      const { run: { pids } } = await startUntilReady(state, "--port", port, "--no-demo");
      await killAllButPostgres({ pids });
      assert(isAlive(pids.postgres));
      const started = await startUntilReady(state, "--port", port, "--reset", "--no-demo");
      assertNotEquals((await credentials()).client_id, earlier.client_id);
      assertEquals(await holdings(started), ["0", "0"]);
      await started.stop();
      await awaitEnd(pids.postgres);
    });

    it("moves to another port: base URL and credentials say so, and signatures fit", async () => {
      const other = `${await findFreePort()}`;
      const started = await startUntilReady(state, "--port", other, "--no-demo");
      assertEquals((await credentials()).base_url, `https://localhost:${other}`);
      assertEquals(await trade(), 9);
      await started.stop();
    });
  });

  describe("when it is told to stop", () => {
    it("stops in order also when Ctrl-C comes twice, with exit 0, and leaves nobody behind", async () => {
      const started = await startUntilReady(state, "--port", port, "--no-demo");
      const ended = once(started.child, "close");
      for (const _ of [1, 2]) {
        // The process may have ended before the second signal.
        if (started.child.exitCode === null) process.kill(started.child.pid!, "SIGINT");
        await sleep(30);
      }
      const [code] = await ended;
      assertEquals(code, 0, started.said());
      await awaitEnd(...Object.values(started.run.pids));
    });

    it("before it is ready, stops what it has started, as ended by the signal", async () => {
      const stopEarly = async () => {
        const { child, ended, said } = launch(["--state", state, "--port", port]);
        while (!said().includes("✔ database") && child.exitCode === null) await sleep(5);
        process.kill(child.pid!, "SIGTERM");
        return await ended;
      };
      let { code, err, out } = await stopEarly();
      // If this test was slow, the started process was ready before the signal. Then try again.
      for (let tries = 1; out.includes(READY) && tries < 5; tries++) ({ code, err, out } = await stopEarly());
      assertEquals([code, err], [128 + constants.signals.SIGTERM, "Stopped before it was ready.\n"]);
      assertEquals(findPostmaster(join(state, "postgres", "cluster")), undefined);
    });
  });

  describe("refuses", () => {
    it("a state folder that is damaged, with a sentence that names the file and a cure, and heals what it can", async () => {
      const { client_id } = await credentials();
      const partner = ["partners", client_id];
      const damages: [string[], string, number, string][] = [
        [[...partner, "credentials.json"], '{"client_id":"sbx_', 2, "onboards a new partner"],
        [[...partner, "tls_key.pem"], "", 2, "onboards a new partner"],
        [["keys", "pepper"], "", 2, `npm start -- --state ${state} --reset`],
        [
          ["postgres", "cluster", "PG_VERSION"],
          "17\n",
          1,
          "was made by Postgres 17, and this version brings",
        ],
        [["postgres", "cluster", "PG_VERSION"], "", 1, `npm start -- --state ${state} --reset`],
      ];
      for (const [path, damage, exit, cure] of damages) {
        const file = join(state, ...path);
        const whole = await readFile(file, "utf8");
        await writeFile(file, damage);
        const { code, err } = await runToEnd("--state", state, "--port", port, "--exit");
        await writeFile(file, whole);
        assertEquals(code, exit, err);
        assertMatch(err, /^npm start did not get there\. [^\n]*\n$/);
        assertStringIncludes(err, cure);
        assertStringIncludes(err, exit === 2 ? file : state);
      }
      for (const lost of [join("keys", "pepper"), "postgres"]) {
        await rename(join(state, lost), join(folder, "lost"));
        const { code, err } = await runToEnd("--state", state, "--port", port, "--exit");
        await rename(join(folder, "lost"), join(state, lost));
        assertEquals(code, 2, err);
        assertStringIncludes(err, `${join(state, lost)} is gone`);
        assertStringIncludes(err, `npm start -- --state ${state} --reset`);
      }
      for (const name of ["server.pem", "ca.pem"]) await writeFile(join(state, "pki", name), "rubbish");
      const started = await startUntilReady(state, "--port", port, "--no-demo");
      assertEquals([await trade(), (await credentials()).client_id], [9, client_id]);
      await started.stop();
    });

    it("a disk that is full, with a sentence, and goes on when there is room", async () => {
      const disk = await mkdtemp(join(folder, "disk-"));
      const mounted =
        spawnSync("mount", ["-t", "tmpfs", "-o", "size=24m,mode=755", "tmpfs", disk]).status === 0;
      // An ordinary user cannot mount a file system. A limit of 8 MB per file then stands in for the full
      // disk.
      const limited = [
        "-c",
        'ulimit -f 8192; exec "$@"',
        "bash",
        process.execPath,
        ...runtimeArguments(MAIN),
      ];
      const args = ["--state", join(disk, "state"), "--port", port, "--exit"];
      try {
        const { status, stderr } = spawnSync("bash", [
          ...mounted ? ["-c", 'exec "$@"', ...limited.slice(2)] : limited,
          ...args,
        ], {
          encoding: "utf8",
        });
        assertEquals(status, 1, stderr);
        assertMatch(stderr, /^npm start did not get there\. The disk that holds \S+ is full\. [^\n]*\n$/);
        if (mounted) assertEquals(spawnSync("mount", ["-o", "remount,size=600m", disk]).status, 0);
        assertEquals((await runToEnd(...args, "--no-demo")).code, 0);
      } finally {
        if (mounted) spawnSync("umount", [disk]);
      }
    });

    it("a port that is taken, with one sentence and exit 1, and leaves nothing running", async () => {
      const taken = createServer().listen(Number(port), "::");
      await once(taken, "listening");
      const { code, err } = await runToEnd("--state", state, "--port", port);
      assertEquals(code, 1);
      assertMatch(err, new RegExp(`^npm start did not get there\\. .*${port}`));
      assertEquals(err.trim().split("\n").length, 1);
      await new Promise((resolve) => taken.close(resolve));
      await (await startUntilReady(state, "--port", port, "--no-demo")).stop();
    });

    it("a folder that it did not make, with --reset and without, and touches nothing in it", async () => {
      const foreign = await mkdtemp(join(folder, "foreign-"));
      await writeFile(join(foreign, "thesis.txt"), "precious");
      for (const more of [[], ["--reset"]]) {
        const { code, err } = await runToEnd("--state", foreign, "--port", port, ...more);
        assertEquals(code, 2);
        assertStringIncludes(err, foreign);
        assertEquals(await readdir(foreign), ["thesis.txt"]);
      }
    });

    it("options that it does not know, and ports that are none, with exit 2 and its usage", async () => {
      for (const args of [["--verbose"], ["--port", "0"], ["--port", "65536"], ["--port", "x"], ["extra"]]) {
        const { code, err } = await runToEnd("--state", state, ...args);
        assertEquals(code, 2, args.join(" "));
        assertStringIncludes(err, "npm start -- [OPTIONS]");
      }
    });

    it("nothing where it is only asked how it is used, which is no fault", async () => {
      const { code, out, err } = await runToEnd("--state", state, "--help");
      assertEquals([code, err], [0, ""]);
      const told = out.match(/--[a-z-]+(?= )/g);
      const options = ["port", "state", "envoy", "no-demo", "exit", "json", "reset", "webhook-ca"];
      assertEquals(told, options.map((name) => `--${name}`));
    });
  });

  it("with --exit --json tells each step as one JSON object, and ends with everything stopped", async () => {
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
    assertEquals(steps.filter(({ what }) => what.endsWith("came, and its signature verifies")).length, 3);
    assertEquals(steps.every(({ ms, what }) => Number.isInteger(ms) && what.length > 0), true);
    assertEquals(await readRun(state), undefined);
  });
});

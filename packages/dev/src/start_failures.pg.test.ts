import { spawnSync } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, readdir, readFile, rename, rm, writeFile } from "node:fs/promises";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import process from "node:process";
import { after, before, describe, it } from "node:test";
import { assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import postgres from "postgres";
import { runtimeArguments } from "../../../tools/testing/runtime_arguments.ts";
import { sendSignal } from "../../../tools/testing/send_signal.ts";
import { until } from "../../../tools/testing/until.ts";
import { findFreePort, startPostgres } from "./postgres/mod.ts";
import { endAll, launch, MAIN, runToEnd, startUntilReady } from "../testing/start.ts";
import { runDemo } from "./demo.ts";
import type { Credentials } from "./partner.ts";

describe("npm start, when it does not start", () => {
  let folder: string;
  let state: string;
  let port: string;
  before(async () => {
    folder = await mkdtemp(join(tmpdir(), "gold-start-"));
    state = join(folder, "state");
    port = `${await findFreePort()}`;
    await (await startUntilReady(state, "--port", port, "--no-demo")).stop();
  });
  after(async () => {
    await endAll();
    await rm(folder, { recursive: true, force: true });
  });

  async function credentials(): Promise<Credentials> {
    const [partner = ""] = await readdir(join(state, "partners"));
    return JSON.parse(await readFile(join(state, "partners", partner, "credentials.json"), "utf8"));
  }

  it("names a damaged file and what to do about it, and replaces damaged server certificates", async () => {
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
        "was created by Postgres 17, but this version uses",
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
      assertMatch(err, /^npm start failed\. [^\n]*\n$/);
      assertStringIncludes(err, cure);
      assertStringIncludes(err, exit === 2 ? file : state);
    }
    for (const lost of [join("keys", "pepper"), "postgres"]) {
      await rename(join(state, lost), join(folder, "lost"));
      const { code, err } = await runToEnd("--state", state, "--port", port, "--exit");
      await rename(join(folder, "lost"), join(state, lost));
      assertEquals(code, 2, err);
      assertStringIncludes(err, `${join(state, lost)} is missing`);
      assertStringIncludes(err, `npm start -- --state ${state} --reset`);
    }
    for (const name of ["server.pem", "ca.pem"]) await writeFile(join(state, "pki", name), "rubbish");
    const started = await startUntilReady(state, "--port", port, "--no-demo");
    const steps: string[] = [];
    await runDemo(await credentials(), { report: (step) => steps.push(step) });
    assertEquals([steps.length, (await credentials()).client_id], [9, client_id]);
    await started.stop();
  });

  it("explains that the disk is full in one sentence, and starts once there is space", async () => {
    const disk = await mkdtemp(join(folder, "disk-"));
    const mounted =
      spawnSync("mount", ["-t", "tmpfs", "-o", "size=24m,mode=755", "tmpfs", disk]).status === 0;
    // Limit each file to 8 MB instead of filling a disk if an ordinary user runs the test. Only root can
    // mount a small file system.
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
      assertMatch(stderr, /^npm start failed\. The disk that holds \S+ is full\. [^\n]*\n$/);
      if (mounted) assertEquals(spawnSync("mount", ["-o", "remount,size=600m", disk]).status, 0);
      assertEquals((await runToEnd(...args, "--no-demo")).code, 0);
    } finally {
      if (mounted) spawnSync("umount", [disk]);
    }
  });

  it("reports that Postgres ended if it ends while a partner is onboarded", async () => {
    await rename(join(state, "partners"), join(folder, "partners"));
    const server = await startPostgres({ dataDir: join(state, "postgres") });
    // Lock a table that only the onboarding of a new partner writes, so that npm start waits there.
    const sql = postgres(server.superuserUrl("gold"), { max: 1 });
    const holder = await sql.reserve();
    await holder`begin`;
    await holder`lock table gold.partner in exclusive mode`;
    const { ended } = launch(["--state", state, "--port", port]);
    await until(async () => (await holder`select from pg_locks where not granted`).length > 0);
    sendSignal(server.pid, "SIGKILL");
    const { code, err } = await ended;
    assertEquals(code, 1, err);
    assertMatch(err, /^npm start failed\. Postgres ended during the start\. See its log: \S+\n$/);
    await rm(join(state, "partners"), { recursive: true });
    await rename(join(folder, "partners"), join(state, "partners"));
  });

  it("names a taken port in one sentence with exit code 1, and leaves no process running", async () => {
    const taken = createServer().listen(Number(port), "::");
    await once(taken, "listening");
    const { code, err } = await runToEnd("--state", state, "--port", port);
    assertEquals(code, 1);
    assertMatch(err, new RegExp(`^npm start failed\\. .*${port}`));
    assertEquals(err.trim().split("\n").length, 1);
    await new Promise((resolve) => taken.close(resolve));
    await (await startUntilReady(state, "--port", port, "--no-demo")).stop();
  });

  it("refuses a folder that it did not create, also with --reset, and changes nothing in it", async () => {
    const foreign = await mkdtemp(join(folder, "foreign-"));
    await writeFile(join(foreign, "thesis.txt"), "precious");
    for (const more of [[], ["--reset"]]) {
      const { code, err } = await runToEnd("--state", foreign, "--port", port, ...more);
      assertEquals(code, 2);
      assertStringIncludes(err, foreign);
      assertEquals(await readdir(foreign), ["thesis.txt"]);
    }
  });

  it("prints its usage with exit code 2 for an unknown option or an invalid port", async () => {
    for (const args of [["--verbose"], ["--port", "0"], ["--port", "65536"], ["--port", "x"], ["extra"]]) {
      const { code, err } = await runToEnd("--state", state, ...args);
      assertEquals(code, 2, args.join(" "));
      assertStringIncludes(err, "npm start -- [OPTIONS]");
    }
  });

  it("prints its usage with exit code 0 for --help", async () => {
    const { code, out, err } = await runToEnd("--state", state, "--help");
    assertEquals([code, err], [0, ""]);
    const listed = out.match(/--[a-z-]+(?= )/g);
    const options = [
      "port",
      "state",
      "envoy",
      "two-people",
      "no-demo",
      "exit",
      "json",
      "reset",
      "no-site",
      "webhook-ca",
    ];
    assertEquals(listed, options.map((name) => `--${name}`));
  });
});

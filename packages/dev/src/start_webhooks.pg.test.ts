import { mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import { assertEquals, assertStringIncludes } from "@std/assert";
import { runDemo } from "./demo.ts";
import { type DemoReceiver, openDemoReceiver } from "./demo_receiver.ts";
import { asOperator } from "./operator.ts";
import type { Credentials } from "./partner.ts";
import { findFreePort } from "./postgres/mod.ts";
import { runToEnd, type Started, startUntilReady } from "../testing/start.ts";
import { testCertificate, testReceiver } from "@gold-partner/server/testing";
import { until } from "../../../tools/testing/until.ts";

/** Longer than the default of the demo, which is too short for a slow machine. */
const TIMEOUT_MS = 120_000;

describe("the webhooks of npm start", () => {
  let folder: string;
  let state: string;
  let started: Started;
  let demo: Credentials;
  const opened: { stop(): Promise<void> }[] = [];
  before(async () => {
    folder = await mkdtemp(join(tmpdir(), "gold-start-webhooks-"));
    state = join(folder, "state");
    const authority = join(folder, "authority.pem");
    await writeFile(authority, testCertificate().ca);
    const port = `${await findFreePort()}`;
    started = await startUntilReady(state, "--port", port, "--no-demo", "--webhook-ca", authority);
    const [partner] = await readdir(join(state, "partners"));
    demo = JSON.parse(await readFile(join(state, "partners", partner!, "credentials.json"), "utf8"));
  });
  after(async () => {
    for (const receiver of opened) await receiver.stop();
    await started?.stop();
    await rm(folder, { recursive: true, force: true });
  });

  const sendTo = (port: number) =>
    asOperator(started.run.database_url)(
      `partner set ${demo.client_id} --webhook https://localhost:${port}/webhooks`,
    );
  /** Waits until no event is pending, so that the next receiver gets no older events. */
  const untilNothingPends = async () => {
    const pending = async () =>
      (await asOperator(started.run.database_url)("event list", demo.client_id, "--status", "pending"))
        .items as unknown[];
    await until(async () => (await pending()).length === 0, pending);
  };
  /** Runs the demo and returns what it reports about its webhooks. */
  const heard = async (receiver: DemoReceiver) => {
    const reported: string[] = [];
    const report = (step: string, _: number, what: string) =>
      void (step === "webhook" && reported.push(what));
    await runDemo(demo, { report }, receiver);
    return reported;
  };

  it("reach a receiver that uses the certificate from the state folder", async () => {
    const [cert, key] = await Promise.all(
      ["receiver.pem", "receiver_key.pem"].map((name) => readFile(join(state, "pki", name), "utf8")),
    ) as [string, string];
    const port = await findFreePort();
    const { webhook_secret: secret, client_id: clientId } = demo;
    const plan = { port, certificate: { cert, key }, secret, clientId, timeoutMs: TIMEOUT_MS };
    const receiver = (await openDemoReceiver(plan))!;
    opened.push(receiver);
    await sendTo(port);
    const came = ["order.executed", "order.executed", "withdrawal.created"];
    assertEquals(await heard(receiver), came.map((type) => `${type} arrived, and its signature is valid`));
    await untilNothingPends();
  });

  it("reach a receiver whose CA --webhook-ca names", async () => {
    const receiver = await testReceiver();
    opened.push(receiver);
    await sendTo(receiver.port);
    await runDemo(demo, { report: () => {} });
    const types = (await receiver.awaitDeliveries(5)).map(({ body }) => JSON.parse(body).type as string);
    assertEquals(types.sort(), [
      "funding.completed",
      "order.executed",
      "order.executed",
      "webhook_endpoint.changed",
      "withdrawal.created",
    ]);
  });

  it("are reported by the demo as not arrived if none arrives", async () => {
    const deaf: DemoReceiver = { awaitEvent: async () => undefined, stop: async () => {} };
    const types = ["order.executed", "order.executed", "withdrawal.created"];
    assertEquals(
      await heard(deaf),
      types.map((type) => `${type} has not arrived yet; the service will retry it`),
    );
  });

  it("need a CA certificate in --webhook-ca; with any other file, npm start exits with code 2", async () => {
    const file = join(folder, "no_authority.pem");
    await writeFile(file, "no certificate");
    for (const path of [file, join(folder, "gone.pem")]) {
      const { code, err } = await runToEnd("--exit", "--state", join(folder, "other"), "--webhook-ca", path);
      assertEquals(code, 2);
      assertStringIncludes(err, `that signed your receiver's certificate; got ${path}: `);
    }
  });
});

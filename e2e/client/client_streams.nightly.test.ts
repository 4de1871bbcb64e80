import { randomBytes } from "node:crypto";
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { ensureAuthorities, startGateway } from "@gold-partner/dev";
import { ID_PREFIX, newId } from "@gold-partner/protocol";
import { testCertificate, type TestReceiver, testReceiver } from "@gold-partner/server/testing";
import { assert, assertEquals } from "@std/assert";
import { temporaryFolder } from "../../tools/testing/temporary_folder.ts";
import { until } from "../../tools/testing/until.ts";
import { Deployment } from "../../tools/prove/stage/deployment.ts";
import type { ServerProcess } from "../../tools/prove/stage/server_process.ts";
import { ask, type Trader } from "../../tools/prove/stage/trader.ts";
import { requireReply } from "../../tools/prove/stage/wire.ts";
import { runCli, writeCredentials } from "../partner_cli/cli_fixture.ts";
import { CsharpBuild, CsharpClient } from "./csharp_client_fixture.ts";
import { FaultRelay } from "./fault_relay_fixture.ts";
import { JavaBuild, JavaClient } from "./java_client_fixture.ts";
import { PythonClient, PythonEnvironment } from "./python_client_fixture.ts";
import type { TestedClient } from "./survival_fixture.ts";
import { TestedGoldClient } from "./tested_gold_client_fixture.ts";

/** Each third of the outage has another form: no process, refused connections, connections that are reset. */
const OUTAGE_MS = 90_000;
const KILLS = 10;

/** `gold-partner listen` and `gold-partner prices --follow`, with what they print. */
class FollowingCommands {
  readonly sequences: number[] = [];
  readonly said: string[] = [];
  prices = 0;
  readonly #ending = new AbortController();
  readonly #ended: Promise<readonly number[]>;

  constructor(credentials: string, receiver: TestReceiver, ca: string) {
    const terminal = {
      env: { GOLD_CREDENTIALS: credentials },
      err: (text: string) => this.said.push(text),
      untilStopped: () => this.#ending.signal,
    };
    const commands = [
      runCli(["listen", "--forward", receiver.url, "--ca", ca, "--json"], {
        ...terminal,
        out: (line) => this.sequences.push((JSON.parse(line) as { sequence: number }).sequence),
      }),
      runCli(["prices", "--follow", "--json"], { ...terminal, out: () => this.prices++ }),
    ];
    this.#ended = Promise.all(commands.map(async (run) => (await run).exit));
  }

  /** Ends both commands as a person does, and returns their exit codes. */
  async end(): Promise<readonly number[]> {
    this.#ending.abort();
    return await this.#ended;
  }
}

describe("the streams of every client", () => {
  const folder = temporaryFolder("gold-streams");
  let [python, java, csharp]: [PythonEnvironment?, JavaBuild?, CsharpBuild?] = [];
  let deployment: Deployment;
  /** The clients reach the first process. The second one books what happens while the first is away. */
  let [followed, other]: [ServerProcess?, ServerProcess?] = [];
  let relay: FaultRelay;
  let receiver: TestReceiver;
  let trader: Trader;
  let credentials: string;
  let ca: string;
  let newest = 0;

  before(async () => {
    python = await PythonEnvironment.create();
    java = await JavaBuild.create("-DskipTests");
    csharp = await CsharpBuild.create();
    deployment = await Deployment.start({ servers: 2, traders: 1, lanes: 1 });
    [followed, other] = deployment.servers;
    [trader] = deployment.traders as [Trader];
    const { partnerCa, cert, key } = await ensureAuthorities(deployment.state, deployment.operator);
    const gateway = await startGateway({
      ...{ port: 0, ca: partnerCa, cert, key, upstreams: [followed!.socket] },
      newRequestId: () => newId(ID_PREFIX.request, Date.now(), (length) => randomBytes(length)),
    });
    deployment.onStop(() => gateway.close());
    relay = await FaultRelay.open(gateway.port, deployment.port);
    deployment.onStop(() => relay.close());
    receiver = await testReceiver();
    ca = join(folder, "ca.pem");
    await writeFile(ca, testCertificate().ca);
    credentials = await writeCredentials(folder, trader.credentials);
  });
  after(async () => {
    await deployment?.stop();
    await receiver?.stop();
    await python?.remove();
  });

  /** Makes one event through the second process. */
  const happen = async () => {
    requireReply("funding", await ask(other!.socket, trader.fund("1")));
    newest++;
  };
  const open = async (): Promise<Readonly<Record<string, TestedClient>>> => ({
    TypeScript: await TestedGoldClient.open(trader.credentials, {}),
    "Python": new PythonClient(python!, "sync", credentials, {}),
    "Python, asynchronous": new PythonClient(python!, "async", credentials, {}),
    Java: new JavaClient(java!, credentials, {}),
    "C#": new CsharpClient(csharp!, credentials, {}),
  });

  /** Follows all streams during `act`, which makes `count` events. Expects each event once, and no end of a loop. */
  async function follow(count: number, act: (openings: () => number) => Promise<void>): Promise<void> {
    const [row] = await deployment.sql`select max(sequence)::int as newest from gold.event`;
    const from = newest = row!.newest as number;
    const clients = await open();
    const failed: string[] = [];
    let done = false;
    const events = Object.entries(clients).map(async ([language, client]) => {
      client.call("stream_prices", { take: 1_000_000 })
        .catch((error: Error) => done || failed.push(`${language}, prices: ${error.message}`));
      const read = await client.call("stream_events", { after: from, take: count })
        .catch((error: Error) => void failed.push(`${language}, events: ${error.message}`));
      return [language, read?.map(({ sequence }: { sequence: number }) => sequence - from)];
    });
    const listening = new FollowingCommands(credentials, receiver, ca);
    const opened = (operation: string) =>
      Object.values(clients).map((client) =>
        client.outcomesOf(operation).filter((outcome) => outcome === "200").length
      );
    const openings = () => Math.min(...opened("streamEvents"), ...opened("streamPrices"));
    try {
      await until(() => openings() > 0 && listening.prices > 0 && listening.said.length > 0);
      const before = openings();
      await act(openings);
      const shown = listening.prices;
      const due = Array.from({ length: count }, (_, n) => n + 1);
      assertEquals(newest - from, count);
      const settled = until(() => failed.length > 0).then(() => []);
      assertEquals(
        await Promise.race([Promise.all(events), settled]),
        Object.keys(clients).map((each) => [each, due]),
      );
      await until(() => failed.length > 0 || (openings() > before && listening.prices > shown));
      await until(() => listening.sequences.length >= count, () => listening.said);
      assertEquals(listening.sequences.map((sequence) => sequence - from), due);
      assertEquals(failed, []);
    } finally {
      done = true;
      for (const client of Object.values(clients)) client.kill();
      assertEquals(await listening.end(), [0, 0], listening.said.join("\n"));
    }
  }

  it("go on after an outage of 90 s, and miss no event of that time", async () => {
    await follow(12, async () => {
      await happen();
      const third = async (begin: () => unknown) => {
        await begin();
        const pause = sleep(OUTAGE_MS / 3);
        for (let n = 0; n < 3; n++) await happen();
        await pause;
      };
      await third(() => followed!.kill());
      await third(() => relay.close());
      await relay.mend(deployment.port);
      await third(() => relay.refuse());
      await followed!.heal();
      await relay.close();
      await relay.mend(deployment.port);
      await happen();
      await happen();
    });
  });

  it("go on after each of ten kills of the service, and have each event once", async () => {
    await follow(KILLS * 4, async (openings) => {
      for (let kill = 0; kill < KILLS; kill++) {
        const before = openings();
        await Promise.all([happen(), followed!.kill(), happen()]);
        await happen();
        await followed!.heal();
        await happen();
        // Every second kill comes while some clients are still waiting.
        if (kill % 2 === 0) await until(() => openings() > before);
      }
    });
  });

  it("leave nothing but lines of JSON in the service's log", async () => {
    const lines = (await readFile(deployment.state.path("log", "server_1.log"), "utf8")).trim().split("\n");
    assert(lines.length > KILLS);
    for (const line of lines) {
      assertEquals(typeof (JSON.parse(line) as { event: unknown }).event, "string", line);
    }
  });
});

import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import process from "node:process";
import { after, describe, it } from "node:test";
import { fileURLToPath } from "node:url";
import { findFreePort } from "@gold-partner/dev/postgres";
import { assertEquals } from "@std/assert";
import { runtimeArguments } from "../../../../tools/testing/runtime_arguments.ts";
import { sendSignal } from "../../../../tools/testing/send_signal.ts";
import { temporaryFolder } from "../../../../tools/testing/temporary_folder.ts";
import { until } from "../../../../tools/testing/until.ts";
import { suiteService } from "../../testing/service.ts";

const MAIN = fileURLToPath(new URL("../main.ts", import.meta.url));

describe("the figures of the whole database, with two delivery processes", () => {
  const [folder, fixture] = [temporaryFolder("gold-test"), suiteService()];
  const started: ChildProcess[] = [];
  after(async () => {
    for (
      const child of started.filter(({ exitCode, signalCode }) => exitCode === null && signalCode === null)
    ) {
      const ended = once(child, "exit");
      sendSignal(child.pid!, "SIGKILL");
      await ended;
    }
  });

  async function start(number: number) {
    const { config } = fixture;
    const port = await findFreePort();
    const child = spawn(process.execPath, [...runtimeArguments(MAIN), "--role", "delivery"], {
      env: {
        ...process.env,
        GOLD_ENV: config.environment,
        PUBLIC_BASE_URL: config.publicBaseUrl,
        DELIVERY_DATABASE_URL: config.deliveryDatabaseUrl,
        SEALING_KEY_SOURCE: config.sealingKeySource,
        OPERATIONS_LISTEN: `unix:${folder}/operations_${number}.sock`,
        METRICS_LISTEN: `127.0.0.1:${port}`,
      },
      stdio: ["ignore", "ignore", "inherit"],
    });
    started.push(child);
    const scrape = () =>
      fetch(`http://127.0.0.1:${port}/metrics`, { headers: { Connection: "close" } })
        .then((reply) => reply.text(), () => "");
    await until(async () => (await scrape()).includes("gold_build_info"));
    return {
      child,
      shows: async () => (await scrape()).includes("\ngold_webhook_waiting "),
    };
  }

  it("come from one of them, and from the other one within seconds after the first was killed", async () => {
    const first = await start(1);
    await until(first.shows);
    const second = await start(2);
    assertEquals([await first.shows(), await second.shows()], [true, false]);
    sendSignal(first.child.pid!, "SIGKILL");
    await until(second.shows);
  });
});

import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { connect } from "node:net";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import type { TestPostgres } from "@gold-partner/dev/postgres";
import type { TestService } from "../../../testing/service.ts";
import { testService } from "../../../testing/service.ts";
import type { ListenAddress } from "../../settings/config.ts";
import { type ReadTimeouts, sendBytes } from "../../../testing/wire/send_bytes.ts";

export type Runtime = "node" | "deno";

/** The service as a process of one runtime, with its own database. */
export interface RuntimeService {
  readonly fixture: TestService;
  send(text: string, timeouts?: ReadTimeouts): Promise<string>;
  stop(): Promise<void>;
}

const MAIN = fileURLToPath(new URL("../../main.ts", import.meta.url));
const DENO = fileURLToPath(new URL("../../../../../node_modules/deno/deno", import.meta.url));
const INHERITED = ["PATH", "HOME", "TMPDIR", "DENO_DIR"];

export async function startRuntime(runtime: Runtime, server: TestPostgres): Promise<RuntimeService> {
  const fixture = await testService({ server });
  const child = spawnService(runtime, fixture);
  const failed = once(child, "exit").then(() => {
    throw new Error(`the service on ${runtime} did not start`);
  });
  await Promise.race([untilServing(child), failed]);
  return {
    fixture,
    send: (text, timeouts) => sendBytes(connect(socketOf(fixture.config.listen)), text, timeouts),
    async stop() {
      failed.catch(() => {});
      const ended = once(child, "exit");
      child.stdin!.end();
      await ended;
      await fixture.stop();
    },
  };
}

const socketOf = (address: ListenAddress) => address.kind === "unix" ? address.path : "";

function spawnService(runtime: Runtime, { config }: TestService): ChildProcess {
  const here = "Deno" in globalThis ? "deno" : "node";
  const elsewhere = { node: "node", deno: DENO };
  const command = runtime === here ? process.execPath : elsewhere[runtime];
  const args = runtime === "deno" ? ["run", "--no-check", "-A", MAIN] : ["--import", "tsx", MAIN];
  const inherited = INHERITED.flatMap((name) => process.env[name] ? [[name, process.env[name]]] : []);
  return spawn(command, args, {
    env: {
      ...Object.fromEntries(inherited),
      GOLD_ENV: config.environment,
      PUBLIC_BASE_URL: config.publicBaseUrl,
      DATABASE_URL: config.databaseUrl,
      DELIVERY_DATABASE_URL: config.deliveryDatabaseUrl,
      TICKER_DATABASE_URL: config.tickerDatabaseUrl,
      PEPPER_SOURCE: config.pepperSource,
      SEALING_KEY_SOURCE: config.sealingKeySource,
      LISTEN: `unix:${socketOf(config.listen)}`,
      OPERATIONS_LISTEN: `unix:${socketOf(config.operationsListen)}`,
      STOP_WITH_STDIN: "1",
    },
    stdio: ["pipe", "pipe", "inherit"],
  });
}

async function untilServing({ stdout }: ChildProcess): Promise<void> {
  const lines = createInterface({ input: stdout! });
  await new Promise<void>((resolve) => lines.on("line", (line) => line.includes('"serving"') && resolve()));
}

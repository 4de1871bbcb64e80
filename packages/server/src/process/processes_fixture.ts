import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { randomUUID } from "node:crypto";
import { request } from "node:http";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { canonicalRequest } from "@gold-partner/canonical";
import { runtimeArguments } from "../../../../tools/testing/runtime_arguments.ts";
import { sendSignal } from "../../../../tools/testing/send_signal.ts";
import type { TestService } from "../../testing/service.ts";
import { signDetached } from "@gold-partner/jws";
import { hostBytes, requestSigner } from "@gold-partner/protocol";

const MAIN = fileURLToPath(new URL("../main.ts", import.meta.url));
const INHERITED = ["PATH", "HOME", "TMPDIR", "DENO_DIR"];
/**
 * The time limit of a start. It is long, because three programs start at once on a machine that may be busy.
 */
const START_MS = 180_000;

const signRequest = requestSigner({ canonicalRequest, signDetached, bytes: hostBytes });

export interface Answer {
  readonly status: number;
  readonly replayed: boolean;
  readonly body: string;
}

interface Line {
  readonly event: string;
  readonly pid?: number;
  readonly address?: string;
  readonly process?: number;
  readonly exit?: string;
}

/**
 * A supervisor that runs `serve` with PROCESSES, and the processes that it starts. They use the database of a
 * service fixture.
 */
export interface TestProcesses {
  readonly supervisor: ChildProcess;
  /** Each line on stdout and on stderr so far. */
  readonly output: readonly string[];
  /** The log lines with this event so far. */
  lines(event: string): Line[];
  /** Waits until there are `count` lines with this event. */
  until(event: string, count: number): Promise<Line[]>;
  /** The path of the socket on which the process with this number listens. */
  socket(number: number): string;
  /** The process id of the process with this number. */
  pid(number: number): number;
}

export function startProcesses(
  { config }: TestService,
  folder: string,
  settings: Readonly<Record<string, string>>,
): TestProcesses {
  const inherited = INHERITED.flatMap((name) => process.env[name] ? [[name, process.env[name]]] : []);
  const databaseUrl = new URL(config.databaseUrl);
  // Set a long timeout, so that no wait for an account times out on a busy machine. These tests do not check
  // such a timeout.
  databaseUrl.searchParams.set("lock_timeout", "9000");
  const supervisor = spawn(process.execPath, [...runtimeArguments(MAIN), "--role", "api"], {
    env: {
      ...Object.fromEntries(inherited),
      GOLD_ENV: config.environment,
      PUBLIC_BASE_URL: config.publicBaseUrl,
      DATABASE_URL: databaseUrl.href,
      TICKER_DATABASE_URL: config.tickerDatabaseUrl,
      PEPPER_SOURCE: config.pepperSource,
      SEALING_KEY_SOURCE: config.sealingKeySource,
      LISTEN: `unix:${folder}/api_{n}.sock`,
      OPERATIONS_LISTEN: `unix:${folder}/operations_{n}.sock`,
      ...settings,
    },
    stdio: ["ignore", "pipe", "pipe"],
  });
  const said: Line[] = [];
  const output: string[] = [];
  createInterface({ input: supervisor.stdout! }).on("line", (line) => {
    output.push(line);
    said.push(JSON.parse(line) as Line);
  });
  createInterface({ input: supervisor.stderr! }).on("line", (line) => {
    output.push(line);
    console.error(line);
  });
  const lines = (event: string) => said.filter((line) => line.event === event);
  const socket = (number: number) => `${folder}/api_${number}.sock`;
  return {
    supervisor,
    output,
    lines,
    socket,
    async until(event, count) {
      const untilMs = performance.now() + START_MS;
      while (lines(event).length < count) {
        const hasEnded = supervisor.exitCode !== null || supervisor.signalCode !== null;
        if (hasEnded || performance.now() > untilMs) {
          throw new Error(`Expected ${count} log lines "${event}"; got ${lines(event).length}.`);
        }
        await new Promise((resolve) => setTimeout(resolve, 20));
      }
      return lines(event);
    },
    pid: (number) => lines("serving").findLast(({ address }) => address === `unix:${socket(number)}`)!.pid!,
  };
}

export async function stopProcesses({ supervisor }: TestProcesses): Promise<number | null> {
  if (supervisor.exitCode !== null || supervisor.signalCode !== null) return supervisor.exitCode;
  const ended = once(supervisor, "exit");
  sendSignal(supervisor.pid!, "SIGTERM");
  const [code] = await ended;
  return code as number | null;
}

/**
 * Sends the partner's signed order over a new connection. Returns undefined if the connection breaks. Calls
 * `connected` when the connection is established or lost.
 */
export async function sendOrder(
  { config, partner, now, token }: Pick<TestService, "config" | "partner" | "now" | "token">,
  socketPath: string,
  quoteId: string,
  key: string,
  connected: () => void = () => {},
): Promise<Answer | undefined> {
  const body = JSON.stringify({ quote_id: quoteId });
  const signature = await signRequest({
    method: "POST",
    url: `${config.publicBaseUrl}/v1/orders`,
    body: hostBytes.utf8(body),
    timestamp: `${Math.floor(now() / 1000)}`,
    nonce: randomUUID(),
  }, partner.signingKey.signer);
  const headers = {
    "X-Forwarded-Client-Cert": `Hash=${partner.fingerprint}`,
    "X-Client-Ip": "127.0.0.1",
    Authorization: `Bearer ${await token()}`,
    "Content-Type": "application/json",
    "Idempotency-Key": key,
    ...signature,
  };
  return await new Promise((resolve) => {
    const lost = () => {
      connected();
      resolve(undefined);
    };
    const outgoing = request(
      { socketPath, path: "/v1/orders", method: "POST", agent: false, headers },
      (reply) => {
        let text = "";
        reply.setEncoding("utf8").on("data", (part) => text += part).on("error", lost).on("end", () => {
          const replayed = reply.headers["idempotent-replayed"] === "true";
          resolve({ status: reply.statusCode!, replayed, body: text });
        });
      },
    );
    outgoing.on("socket", (socket) => socket.once("connect", connected)).on("error", lost).end(body);
  });
}

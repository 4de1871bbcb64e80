import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { readFileSync, writeFileSync } from "node:fs";
import { request } from "node:https";
import { connect } from "node:net";
import { join } from "node:path";
import process from "node:process";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { temporaryFolder } from "../../../tools/testing/temporary_folder.ts";

const ROOT = fileURLToPath(new URL("../../..", import.meta.url));
const EXAMPLES = "docs/examples/receiver";
const TIMEOUT_MS = 60_000;

/** The command that starts each example receiver. */
export const RECEIVERS: Readonly<Record<string, readonly string[]>> = {
  Node: ["node", `${EXAMPLES}/node/receiver.mjs`],
  Deno: [
    "node_modules/deno/deno",
    ...["run", "--check", "--allow-env", "--allow-net", "--allow-read"],
    `${EXAMPLES}/deno/receiver.ts`,
  ],
  Python: ["python3", `${EXAMPLES}/python/receiver.py`],
  Go: [".tools/bin/receiver_go"],
};

export interface Receiver {
  /** Sets the webhook secrets that the receiver accepts from now on. */
  acceptSecrets(...secrets: string[]): void;
  deliver(body: string, headers: Readonly<Record<string, string>>): Promise<number>;
  /** The receiver's next line of output. */
  line(): Promise<string>;
  /** Opens a connection and sends nothing on it. */
  holdSilent(): Promise<void>;
  stop(): Promise<void>;
}

/**
 * Starts a receiver over HTTPS with a new self-signed certificate. Deliveries trust only that certificate.
 */
export async function startReceiver(
  command: readonly string[],
  listen: string = "127.0.0.1:0",
): Promise<Receiver> {
  const folder = temporaryFolder("receiver");
  const { certificate, key } = makeCertificate(folder);
  const ca = readFileSync(certificate);
  const secretsFile = join(folder, "secrets");
  const child = spawn(command[0]!, command.slice(1), {
    cwd: ROOT,
    stdio: ["ignore", "pipe", "pipe"],
    env: {
      ...process.env,
      RECEIVER_LISTEN: listen,
      CERTIFICATE_FILE: certificate,
      KEY_FILE: key,
      WEBHOOK_SECRETS_FILE: secretsFile,
      CLIENT_ID: "sbx_own",
      LAST_SEQUENCE: "40",
      PYTHONPATH: join(ROOT, ".tools/standardwebhooks"),
    },
  });
  const line = linesOf(child);
  const silent: ReturnType<typeof connect>[] = [];
  const stop = async () => {
    for (const socket of silent) socket.destroy();
    if (child.pid !== undefined && child.exitCode === null) {
      child.kill("SIGKILL");
      await once(child, "exit");
    }
  };
  const port = await listeningPort(line).catch(async (error) => {
    await stop();
    throw error;
  });
  return {
    acceptSecrets: (...secrets) => writeFileSync(secretsFile, `${secrets.join("\n")}\n`),
    deliver: (body, headers) => post(port, ca, body, headers),
    line,
    holdSilent: async () => {
      const socket = connect(port, "127.0.0.1");
      silent.push(socket);
      await once(socket, "connect");
    },
    stop,
  };
}

function makeCertificate(folder: string): { readonly certificate: string; readonly key: string } {
  const [certificate, key] = [join(folder, "tls.crt"), join(folder, "tls.key")];
  const { status, stderr } = spawnSync("openssl", [
    ...["req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-days", "2"],
    ...["-subj", "/CN=localhost", "-addext", "subjectAltName=DNS:localhost"],
    ...["-keyout", key, "-out", certificate],
  ], { encoding: "utf8" });
  if (status !== 0) throw new Error(`openssl could not make a certificate: ${stderr}`);
  return { certificate, key };
}

/**
 * Reads the process's output line by line. When the process has ended, or is silent for TIMEOUT_MS, the call
 * throws an error with its stderr.
 */
function linesOf(child: ChildProcess): () => Promise<string> {
  const lines = createInterface({ input: child.stdout! })[Symbol.asyncIterator]();
  let stderr = "";
  child.stderr!.setEncoding("utf8").on("data", (text: string) => stderr += text);
  child.once(
    "error",
    ({ message }) => stderr += `${message}. If the program is missing, run npm run tools.`,
  );
  const closed = new Promise((resolve) => child.once("close", resolve));
  return async () => {
    let timer: ReturnType<typeof setTimeout> | undefined;
    const silence = new Promise<never>((_, reject) => {
      timer = setTimeout(
        () => reject(new Error(`The receiver printed no line in time.\n${stderr}`)),
        TIMEOUT_MS,
      );
    });
    const { value, done } = await Promise.race([lines.next(), silence]).finally(() => clearTimeout(timer));
    if (done) await closed; // until all of stderr has arrived
    if (done) throw new Error(`The receiver exited.\n${stderr}`);
    return value;
  };
}

async function listeningPort(line: () => Promise<string>): Promise<number> {
  const first = await line();
  const [, port] = /^listening on 127\.0\.0\.1:(\d+)$/.exec(first) ?? [];
  if (!port) throw new Error(`The first line of the receiver names no port: ${first}`);
  return Number(port);
}

function post(
  port: number,
  ca: Buffer,
  body: string,
  headers: Readonly<Record<string, string>>,
): Promise<number> {
  return new Promise((resolve, reject) => {
    const sent = request({
      host: "localhost",
      port,
      ca,
      method: "POST",
      path: "/webhooks",
      agent: false,
      timeout: TIMEOUT_MS,
      headers: { ...headers, "content-type": "application/json", "content-length": Buffer.byteLength(body) },
    }, (reply) => {
      reply.resume();
      reply.on("end", () => resolve(reply.statusCode!));
      reply.on("error", reject);
    });
    sent.on("timeout", () => sent.destroy(new Error("The receiver did not answer in time.")));
    sent.on("error", reject);
    sent.end(body);
  });
}

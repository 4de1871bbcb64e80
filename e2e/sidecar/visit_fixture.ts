import { Buffer } from "node:buffer";
import { spawn } from "node:child_process";
import { randomUUID } from "node:crypto";
import { mkdir, writeFile } from "node:fs/promises";
import process from "node:process";
import type { Problem, ProblemCode } from "@gold-partner/protocol";
import type { Certificate } from "../contract/caller_fixture.ts";
import type { Stack } from "../contract/stack_fixture.ts";
import { awaitEnd } from "@gold-partner/dev/testing";
import { expectProblem } from "@gold-partner/server/testing";

/** Names of the alerts by number (RFC 8446, section 6). */
const ALERTS: Readonly<Record<number, string>> = {
  40: "handshake_failure",
  42: "bad_certificate",
  43: "unsupported_certificate",
  44: "certificate_revoked",
  45: "certificate_expired",
  46: "certificate_unknown",
  47: "illegal_parameter",
  48: "unknown_ca",
  50: "decode_error",
  51: "decrypt_error",
  70: "protocol_version",
  71: "insufficient_security",
  80: "internal_error",
  100: "no_renegotiation",
  116: "certificate_required",
  120: "no_application_protocol",
};

interface Plan {
  /** The port of another Envoy of the fixture. */
  readonly port?: number;
  /** Further certificates that are presented with the first one. */
  readonly chain?: string;
  /** The text to send as soon as the client has finished its part of the handshake. */
  readonly sends?: string;
  /** Makes openssl print details of the session and accept its own commands. The reply is then in `said`. */
  readonly verbose?: boolean;
  /** Options of `openssl s_client`. */
  readonly options?: readonly string[];
  /** How long to wait for a connection to close, in milliseconds. */
  readonly timeoutMs?: number;
}

export interface Visit {
  /** The alert's name in RFC 8446. */
  readonly alert: string | undefined;
  readonly reply: Response | undefined;
  /** True if the other side closed the connection. */
  readonly ended: boolean;
  /** What openssl printed about the handshake. */
  readonly said: string;
}

/** How long to wait for an alert or an answer. These come within milliseconds, but openssl may start late. */
const ANSWER_MS = 30_000;

/** Connects with the openssl command line, which names an alert in the same way on both runtimes. */
export async function visit(
  stack: Stack,
  presents: Certificate | undefined,
  plan: Plan = {},
): Promise<Visit> {
  const {
    port = portOf(stack),
    options = [],
    sends,
    timeoutMs = ANSWER_MS,
  } = plan;
  const child = spawn("openssl", [
    ...["s_client", "-connect", `127.0.0.1:${port}`, "-servername", "localhost"],
    ...plan.verbose ? [] : ["-quiet"],
    ...["-CAfile", stack.running.credentials.ca, "-verify_return_error"],
    ...presents ? await fileOptions(stack, presents, plan.chain) : [],
    ...options,
  ]);
  let [received, said] = ["", ""];
  child.stdout.setEncoding("latin1").on("data", (part: string) => received += part);
  child.stderr.setEncoding("utf8").on("data", (part: string) => said += part);
  child.stdin.on("error", () => {});
  const ended = new Promise<boolean>((resolve, reject) => {
    const timer = setTimeout(() => (resolve(false), child.kill("SIGKILL")), timeoutMs);
    child.once("error", reject).once("close", () => (clearTimeout(timer), resolve(true)));
  });
  if (sends !== undefined) child.stdin.write(sends, "latin1");
  const hasEnded = await ended;
  const alert = /SSL alert number (\d+)/.exec(said)?.[1];
  return {
    alert: alert === undefined ? undefined : ALERTS[Number(alert)] ?? `alert ${alert}`,
    reply: received === "" || plan.verbose ? undefined : parseReply(received),
    ended: hasEnded,
    said: plan.verbose ? received + said : said,
  };
}

/** Throws unless the request is answered with this problem. */
export async function expectRefused(
  stack: Stack,
  presents: Certificate,
  code: ProblemCode,
  sends: string,
  plan: Plan = {},
): Promise<Problem> {
  const { reply, said } = await visit(stack, presents, { ...plan, sends });
  if (!reply) throw new Error(`No reply arrived. ${said}`);
  return await expectProblem(reply, code);
}

export const hostOf = ({ running }: Stack): string => new URL(running.baseUrl).host;
export const portOf = ({ running }: Stack): number => Number(new URL(running.baseUrl).port);

/** Returns the text of a request that asks the server to close the connection afterwards. */
export function requestText(host: string, line: string, headers: readonly string[] = [], body = ""): string {
  const framing = body === "" ? [] : [`Content-Length: ${body.length}`];
  return [`${line} HTTP/1.1`, `Host: ${host}`, "Connection: close", ...framing, ...headers, "", body].join(
    "\r\n",
  );
}

/** Stops Envoy, because Envoy writes its buffered log lines when it ends. */
export async function endEnvoy({ pids: { sidecar } }: Stack): Promise<void> {
  process.kill(sidecar!, "SIGTERM");
  await awaitEnd(sidecar!);
}

async function fileOptions(stack: Stack, { cert, key }: Certificate, chain?: string): Promise<string[]> {
  const folder = stack.running.state.path("visits", randomUUID());
  await mkdir(folder, { recursive: true });
  const files = { cert, key, ...(chain === undefined ? {} : { cert_chain: chain }) };
  const options: string[] = [];
  for (const [name, text] of Object.entries(files)) {
    await writeFile(`${folder}/${name}.pem`, text);
    options.push(`-${name}`, `${folder}/${name}.pem`);
  }
  return options;
}

function parseReply(received: string): Response {
  const end = received.indexOf("\r\n\r\n");
  const [statusLine = "", ...lines] = received.slice(0, end).split("\r\n");
  const headers = lines.map((line): [string, string] => {
    const colon = line.indexOf(":");
    return [line.slice(0, colon), line.slice(colon + 1).trim()];
  });
  const body = Buffer.from(received.slice(end + 4), "latin1");
  return new Response(body, { status: Number(statusLine.split(" ")[1]), headers });
}

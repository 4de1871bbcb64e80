import { randomUUID } from "node:crypto";
import { readdir, readFile } from "node:fs/promises";
import { after, before, describe, it } from "node:test";
import { assert, assertEquals, assertMatch } from "@std/assert";
import type { Certificate } from "../contract/caller_fixture.ts";
import { Stack } from "../contract/stack_fixture.ts";
import { certificateOf } from "./certificate_fixture.ts";
import { endEnvoy, hostOf, requestText, visit } from "./visit_fixture.ts";

const JSON_BODY = "Content-Type: application/json";
const FORM_BODY = "Content-Type: application/x-www-form-urlencoded";

describe("the logs of Envoy and the service", () => {
  let stack: Stack;
  let logs: ReadonlyMap<string, string>;
  /** Values that no log may contain, keyed by where they are sent. */
  const secrets: Record<string, string> = {};
  const statuses: number[] = [];
  const FLOOD = 200;
  let replies: readonly string[];
  before(async () => {
    stack = await Stack.open({ envoy: true });
    replies = await flood(await certificateOf(stack.partner));
    await sendSecrets(await certificateOf(stack.partner));
    await endEnvoy(stack);
    logs = await readLogs(stack);
  });
  after(() => stack.close());

  /**
   * Sends valid and invalid requests. Envoy refuses some of them, and the service others. Every field that
   * can hold free text contains a secret.
   */
  async function sendSecrets(certificate: Certificate): Promise<void> {
    const { token, form, credentials } = stack.partner;
    const canary = (where: string) => secrets[where] ??= randomUUID();
    const bearer = `Authorization: Bearer ${token}`;
    Object.assign(secrets, {
      token,
      "token's signature": token.split(".")[2],
      "client secret": credentials.client_secret,
      "webhook secret": credentials.webhook_secret.slice("whsec_".length),
      "partner's key": keyOf(certificate.key),
      "server's key": keyOf(await readFile(stack.running.state.path("pki", "server_key.pem"), "utf8")),
    });
    const query = `?cursor=${canary("query")}&access_token=${token}`;
    const headers = [
      bearer,
      `Cookie: session=${canary("cookie")}`,
      `X-JWS-Signature: ${canary("signature")}`,
      `X-Nonce: ${canary("nonce")}`,
      `Idempotency-Key: ${canary("idempotency key")}`,
      `X-Gold-Proxy-Secret: ${canary("proxy secret")}`,
      `Proxy-Authorization: Basic ${canary("proxy authorization")}`,
      `Referer: https://bank.example/?t=${canary("referrer")}`,
      `User-Agent: ${canary("user agent")}`,
    ];
    const body = JSON.stringify({ side: "buy", gold_grams: 1, [canary("member")]: canary("value") });
    const requests: [line: string, headers: string[], body?: string][] = [
      ["POST /oauth/token", [FORM_BODY], form],
      ["POST /oauth/token", [FORM_BODY], `${form}x`],
      ["GET /v1/balances", headers],
      [`GET /v1/orders${query}`, headers],
      [`GET /v1/nowhere${query}`, headers],
      [`GET /v1/%2forders${query}`, headers],
      [`GET /v1/${"a".repeat(9000)}${query}`, headers],
      [`TRACE /v1/orders${query}`, headers],
      ["POST /v1/quotes", [JSON_BODY, ...headers], body],
      ["POST /v1/quotes", [JSON_BODY, ...headers], body + " ".repeat(70_000)],
      [`GET /health${query}`, [...headers, `X-Long: ${secrets["query"]}${"x".repeat(20_000)}`]],
      [`GET /health${query}`, [...headers, `x_token: ${token}`]],
    ];
    for (const [line, lines, content] of requests) {
      const { reply } = await visit(stack, certificate, {
        sends: requestText(hostOf(stack), line, lines, content),
      });
      statuses.push(reply!.status);
    }
  }

  /** Sends many requests that the service refuses, on one connection. Returns the heads and bodies of all replies. */
  async function flood(certificate: Certificate): Promise<readonly string[]> {
    const one = requestText(hostOf(stack), "PUT /v1/limits");
    const sends = one.replace("Connection: close\r\n", "").repeat(FLOOD - 1) + one;
    const { said } = await visit(stack, certificate, { sends, verbose: true });
    return said.split("HTTP/1.1 405").slice(1);
  }

  it("contain the same lines of a flood of refusals, and the number of the others", () => {
    const read = (name: string) =>
      logs.get(name)!.trim().split("\n").map((line) => JSON.parse(line) as Record<string, unknown>);
    const requests = read("access.log").filter(({ path }) => path === "/v1/limits");
    const refusals = read("server.log").filter(({ code }) => code === "method_not_allowed");
    const ids = refusals.filter(({ event }) => event === "request").map(({ request_id }) => request_id);
    assertEquals(requests.map(({ request_id }) => request_id).sort(), ids.slice(0, requests.length).sort());
    const counted = refusals.reduce((sum, { refusals = 0 }) => sum + (refusals as number), 0);
    assertEquals([replies.length, requests.length + counted], [FLOOD, FLOOD]);
    assert(requests.length < FLOOD / 2, `${requests.length}`);
    assertEquals(replies.filter((reply) => /x-gold/i.test(reply)), []);
  });

  it("contain a line for each request, including requests that Envoy answers itself", () => {
    const lines = logs.get("access.log")!.trim().split("\n").map((line) =>
      JSON.parse(line) as Record<string, unknown>
    );
    const written = lines.filter(({ kind }) => kind === "request").slice(-statuses.length);
    assertEquals(written.map(({ status }) => status), statuses);
    assertEquals([...new Set(statuses)].sort(), [200, 400, 401, 404, 405, 413, 414, 431]);
    for (const { request_id } of written) assertMatch(request_id as string, /^req_[0-9a-f-]{36}$/);
  });

  it("contain no secret from a query, a header or a body", () => {
    assert(
      ["access.log", "envoy.log", "server.log"].every((name) => logs.has(name)),
      [...logs.keys()].join(),
    );
    for (const [name, text] of logs) {
      const found = Object.entries(secrets).filter(([, secret]) => text.includes(secret)).map(([where]) =>
        where
      );
      assertEquals(found, [], name);
    }
  });
});

/** Returns the text of every log, keyed by file name. */
async function readLogs({ running: { state } }: Stack): Promise<ReadonlyMap<string, string>> {
  const names = await readdir(state.path("log"));
  return new Map(
    await Promise.all(
      names.map(async (
        name,
      ): Promise<[string, string]> => [name, await readFile(state.path("log", name), "utf8")]),
    ),
  );
}

/** Returns the first base64 line of a private key's PEM. A log that contains the key contains this line. */
const keyOf = (pem: string): string => pem.split("\n")[1]!;

import { randomUUID } from "node:crypto";
import { BODY_MAX_BYTES } from "@gold-partner/protocol";
import { type RequestCase, type Sender, write } from "./broken_requests.ts";

export interface Client extends Sender {
  readonly clientId: string;
  readonly clientSecret: string;
}

const QUOTE = '{"side":"buy","gold_grams":1.5}';
const FORM = "Content-Type: application/x-www-form-urlencoded";

/**
 * Well-formed requests that deviate from the documentation or repeat a header, and a few odd ones that are
 * allowed.
 */
export function oddRequests(client: Client): RequestCase[] {
  return [
    ...oddPaths(client),
    ...oddMethods(client),
    ...doubledHeaders(client),
    ...oddBodies(client),
    ...oddTokenRequests(client),
  ].map(([verdict, text, envoy]) => ({ verdict, text, ...(envoy ? { envoy } : {}) }));
}

type Case = readonly [verdict: string, text: string, envoy?: string];

function oddPaths(client: Client): Case[] {
  const tricks = [
    "/v1/%6frders",
    "/v1/%6Frders",
    "/v1%2forders",
    "/v1%2Forders",
    "//v1/orders",
    "/v1//orders",
    "/v1/./orders",
    "/v1/x/../orders",
    "/v1/orders/..",
    "/v1/orders/",
    "/v1/orders;x=1",
    "/v1\\orders",
    "/\\v1/orders",
    "/v1/orders#x",
    "/v1/orders%00",
    "/v1/orders%",
    "/v1/orders?a=\\",
    '/v1/orders?"',
    "https://localhost:8443/v1/orders",
    "http://localhost/v1/orders",
    "http://other.example/v1/orders",
    "https://",
    "foo://[bad/v1/orders",
    "*",
  ];
  const queries = ["x=1", "", "&", "side=buy", "%", "a=%ff", "a=1+1", "a=1&a=1"];
  return [
    ...tricks.flatMap((target): Case[] =>
      ["GET", "POST"].map((method) => [
        // Send OPTIONS for the target *, because the parser accepts it only with OPTIONS.
        "400 path_not_allowed",
        write(client, `${target === "*" ? "OPTIONS" : method} ${target} HTTP/1.1`),
      ])
    ),
    ...queries.map((query): Case => ["400 invalid_request", write(client, `GET /health?${query} HTTP/1.1`)]),
    ...["/nothing", "/v1", "/V1/orders", "/Health", "/metrics"].map((path): Case => [
      "404 not_found",
      write(client, `GET ${path} HTTP/1.1`),
    ]),
  ];
}

function oddMethods(client: Client): Case[] {
  const methods = ["TRACE", "OPTIONS", "DELETE", "PATCH", "PUT", "PROPFIND", "PURGE"];
  const health = (method: string) => write(client, `${method} /health HTTP/1.1`);
  return [
    ...methods.map((method): Case => ["405 method_not_allowed", health(method)]),
    // 400 behind Envoy, which accepts no method with a hyphen.
    ["405 method_not_allowed", health("M-SEARCH"), "400 invalid_request"],
  ];
}

const bearer = ({ token }: Client) => `Authorization: Bearer ${token}`;

function doubledHeaders(client: Client): Case[] {
  const sound = {
    Authorization: `Bearer ${client.token}`,
    "Idempotency-Key": "a-key",
    "X-Timestamp": "1800000000",
    "X-Nonce": "0123456789abcdef",
    "X-JWS-Signature": `a..${"A".repeat(86)}`,
    "Content-Type": "application/json",
  };
  const doubled = {
    Authorization: "401 token_invalid",
    "Idempotency-Key": "400 idempotency_key_invalid",
    "X-Timestamp": "400 timestamp_invalid",
    "X-Nonce": "400 nonce_invalid",
    "X-JWS-Signature": "400 invalid_request",
    "Content-Type": "415 unsupported_media_type",
  };
  const lines = Object.entries(sound).map(([name, value]) => `${name}: ${value}`);
  return Object.entries(doubled).map(([name, verdict]) => {
    const again = `${name.toLowerCase()}: ${sound[name as keyof typeof sound]}`;
    return [verdict, write(client, "POST /v1/orders HTTP/1.1", ["Content-Length: 2", ...lines, again], "{}")];
  });
}

function oddBodies(client: Client): Case[] {
  const quote = (type: string[], body = QUOTE): string => {
    const length = `Content-Length: ${body.length}`;
    const key = `Idempotency-Key: ${randomUUID()}`;
    return write(client, "POST /v1/quotes HTTP/1.1", [bearer(client), key, length, ...type], body);
  };
  const json = "Content-Type: application/json";
  const head = [bearer(client), `Idempotency-Key: ${randomUUID()}`, json];
  const large = "x".repeat(BODY_MAX_BYTES + 1);
  const chunks = `${large.length.toString(16)}\r\n${large}\r\n0\r\n\r\n`;
  return [
    ...["", "; charset=utf-8", ";charset=UTF-8", '; charset="utf-8"', "; q=1"]
      .map((rest): Case => ["201", quote([json + rest])]),
    ...["; charset=latin1", "; charset=utf-16", "; charset=utf8", "; charset=", "x", ", application/json"]
      .map((rest): Case => ["415 unsupported_media_type", quote([json + rest])]),
    ...["gzip", "identity", ""].map((coding): Case => [
      "415 unsupported_media_type",
      quote([json, `Content-Encoding: ${coding}`]),
    ]),
    ["415 unsupported_media_type", quote([])],
    ["415 unsupported_media_type", quote(["Content-Type: text/plain"])],
    ...[
      `\xef\xbb\xbf${QUOTE}`,
      `${QUOTE}\0`,
      '{"side":"buy","gold_grams":1.5,"x":1}',
      '{"side":"buy","side":"buy","gold_grams":1.5}',
      "\xff",
      "",
    ].map((body): Case => ["400 invalid_request", quote([json], body)]),
    ["413 body_too_large", quote([json], large)],
    [
      "413 body_too_large",
      write(client, "POST /v1/quotes HTTP/1.1", [...head, "Content-Length: 999999999999"]),
    ],
    [
      "413 body_too_large",
      write(client, "POST /v1/quotes HTTP/1.1", [...head, "Transfer-Encoding: chunked"], chunks),
    ],
  ];
}

function oddTokenRequests(client: Client): Case[] {
  const post = (body: string, headers: string[] = [FORM], path = "/oauth/token") =>
    write(client, `POST ${path} HTTP/1.1`, [`Content-Length: ${body.length}`, ...headers], body);
  const form =
    `grant_type=client_credentials&client_id=${client.clientId}&client_secret=${client.clientSecret}`;
  const basic = btoa(`${client.clientId}:${client.clientSecret}`);
  return [
    ["200", post(form)],
    ["200", post(`${form}&scope=all`)],
    ["200", post(form, [FORM], "/oauth/token?x=1")],
    ["401 invalid_client", post("grant_type=client_credentials", [FORM, `Authorization: Basic ${basic}`])],
    ["401 invalid_client", post(form, [FORM, `Authorization: Basic ${basic}`])],
    ["401 invalid_client", post(form.slice(0, -1))],
    ["400 invalid_request", post(`${form}&grant_type=client_credentials`)],
    ["400 invalid_request", post(`${form}&x=1&x=2`)],
    ["400 invalid_request", post(`${form}&x=\xff`)],
    ["400 invalid_request", post("")],
    ["400 unsupported_grant_type", post(form.replace("client_credentials", "password"))],
    ["415 unsupported_media_type", post("{}", ["Content-Type: application/json"])],
    ["415 unsupported_media_type", post(form, [`${FORM}; charset=latin1`])],
    ["415 unsupported_media_type", post(form, [FORM, FORM])],
    ["415 unsupported_media_type", post(form, [FORM, "Content-Encoding: gzip"])],
    ["405 method_not_allowed", write(client, "GET /oauth/token HTTP/1.1")],
  ];
}

import { canonicalRequest } from "@gold-partner/canonical";
import { hostBytes, type ProbeMistake } from "@gold-partner/protocol";
import { spellBody } from "./body_spellings.ts";

/** The request as it arrived. Its nonce is well formed. */
export interface ProbedRequest {
  readonly method: string;
  readonly baseUrl: string;
  /** The request target as it was sent. */
  readonly target: string;
  readonly body: Uint8Array;
  readonly timestamp: string;
  readonly nonce: string;
  /** The host names, from the request's headers, by which the caller or a proxy may address this service. */
  readonly hosts: readonly string[];
}

/** The step that a mistake may explain. */
export type FailedStep = "timestamp" | "header" | "signature";

/** A text that the caller may have signed, and the mistake that leads to this text. */
interface Attempt {
  readonly mistake: ProbeMistake;
  readonly text: string;
}

const LINE = { url: 1, bodySha256: 2, timestamp: 3 } as const;
const HOST_FORM = /^[A-Za-z0-9._:[\]-]{1,255}$/;

/** Yields the texts that result from common mistakes at this step, the most frequent mistake first. */
export function* attempts(failed: FailedStep, der: boolean, request: ProbedRequest): Generator<Attempt> {
  const { method, baseUrl, target, body, timestamp, nonce } = request;
  const bodySha256 = hostBytes.sha256Hex(body);
  const text = canonicalRequest({ method, url: baseUrl + target, bodySha256, timestamp, nonce });
  const encoded: Attempt = {
    mistake: "payload_base64url",
    text: hostBytes.base64url(hostBytes.utf8(text)),
  };
  switch (failed) {
    case "timestamp":
      yield { mistake: "milliseconds", text };
      yield { mistake: "milliseconds", text: replaceLine(text, LINE.timestamp, timestamp.slice(0, 10)) };
      return;
    case "header":
      if (der) yield { mistake: "der_signature", text };
      yield encoded;
      return;
    case "signature":
      yield encoded;
      // Skip the correct text: its signature was already checked, and it would prove no mistake.
      for (const attempt of misspell(text, request)) if (attempt.text !== text) yield attempt;
  }
}

function* misspell(text: string, request: ProbedRequest): Generator<Attempt> {
  for (const [mistake, url] of spellUrl(request)) yield { mistake, text: replaceLine(text, LINE.url, url) };
  const lines = text.split("\n");
  const upperCaseHex = lines[LINE.bodySha256]!.toUpperCase();
  yield { mistake: "upper_case_hex", text: replaceLine(text, LINE.bodySha256, upperCaseHex) };
  yield { mistake: "trailing_newline", text: `${text}\n` };
  yield { mistake: "trailing_newline", text: `${text}\r\n` };
  yield { mistake: "crlf", text: lines.join("\r\n") };
  yield { mistake: "crlf", text: [...lines, ""].join("\r\n") };
  for (const spelling of spellBody(request.body)) {
    const bodySha256 = hostBytes.sha256Hex(spelling);
    yield { mistake: "body_reserialised", text: replaceLine(text, LINE.bodySha256, bodySha256) };
  }
}

const replaceLine = (text: string, line: number, other: string): string =>
  text.split("\n").with(line, other).join("\n");

function* spellUrl({ baseUrl, target, hosts }: ProbedRequest): Generator<[ProbeMistake, string]> {
  const { host, hostname, port } = new URL(baseUrl);
  for (const part of [target, target.split("?", 1)[0]!, host + target]) yield ["path_not_url", part];
  yield ["explicit_port", `https://${hostname}:443${target}`];
  const capitalised = host.replace(/(?<=^|\.)[a-z]/g, (letter) => letter.toUpperCase());
  const upperCase = [
    `https://${host.toUpperCase()}`,
    baseUrl.toUpperCase(),
    `HTTPS://${host}`,
    `https://${capitalised}`,
  ];
  for (const origin of upperCase) yield ["upper_case_host", origin + target];
  const local = ["localhost", "127.0.0.1"].map((name) => port === "" ? name : `${name}:${port}`);
  for (const name of [...hosts.filter((one) => HOST_FORM.test(one)), host, hostname, ...local]) {
    yield [name.toLowerCase() === host ? "upper_case_host" : "wrong_host", `https://${name}${target}`];
    yield ["wrong_host", `http://${name}${target}`];
  }
}

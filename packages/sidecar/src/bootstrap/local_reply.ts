import {
  ENDPOINTS,
  PROBLEM_MEDIA_TYPE,
  PROBLEM_REGISTRY,
  problemBody,
  type ProblemCode,
  REPLY_HEADER,
  type RequestId,
  tokenErrorBody,
} from "@gold-partner/protocol";
import { expression } from "./access_log.ts";
import type { Message } from "./any.ts";

interface Case {
  readonly code: ProblemCode;
  /** One of Envoy's own replies gets this code if it meets all of these conditions. */
  readonly when: readonly Message[];
}

const REQUEST_ID_HEADER = REPLY_HEADER.requestId.toLowerCase();
const RETRY_AFTER_SECONDS = 1;

/** Gives Envoy's own replies the form of the service's replies. The first case that matches applies. */
export function localReplies(docsUrl: string | undefined): Message {
  return { mappers: CASES.flatMap((one) => [tokenMapper(one), problemMapper(one, docsUrl)]) };
}

const status = (op: "EQ" | "GE", value: number): Message => ({
  status_code_filter: { comparison: { op, value: { default_value: value, runtime_key: "never_set" } } },
});
const header = (name: string, regex: string): Message => ({
  header_filter: { header: { name, string_match: { safe_regex: { regex } } } },
});
const flags = (...flags: string[]): Message => ({ response_flag_filter: { flags } });

/**
 * The target is not in origin form, or two parsers could read it differently. The condition compares Envoy's
 * own reason and not the path, because Envoy has already decoded part of the path.
 */
const ODD_TARGET = expression(
  "response.code_details in ['absolute_path_rejected', 'path_normalization_failed']",
);
/** The host is missing, repeated or malformed. */
const ODD_HOST: Message = {
  header_filter: {
    header: {
      name: ":authority",
      string_match: { safe_regex: { regex: "(?:[A-Za-z0-9._~-]+|\\[[0-9A-Fa-f:.]+\\])(?::[0-9]{1,5})?" } },
      invert_match: true,
    },
  },
};
/**
 * Envoy refused the request without forwarding it: too many requests wait already, memory runs out, or the service
 * asked for it (pace.ts).
 */
const OVERLOADED = flags("UO", "OM", "FI");

const CASES: readonly Case[] = [
  // First, because a flood and an overload get these, and each case costs time.
  { code: "rate_limited", when: [status("EQ", 429)] },
  { code: "service_unavailable", when: [status("EQ", 503), OVERLOADED] },
  // Requests that Envoy refuses before it chooses a route.
  { code: "method_not_allowed", when: [header(":method", "CONNECT")] },
  { code: "path_not_allowed", when: [ODD_TARGET] },
  { code: "invalid_request", when: [status("EQ", 404), ODD_HOST] },
  { code: "not_found", when: [status("EQ", 404)] },
  { code: "method_not_allowed", when: [status("EQ", 405)] },
  { code: "request_timeout", when: [status("EQ", 408)] },
  { code: "body_too_large", when: [status("EQ", 413)] },
  { code: "header_too_large", when: [status("EQ", 431)] },
  // An unknown transfer coding.
  { code: "invalid_request", when: [status("EQ", 501)] },
  { code: "upstream_timeout", when: [status("EQ", 504)] },
  { code: "upstream_unavailable", when: [status("GE", 500)] },
  { code: "invalid_request", when: [status("GE", 400)] },
];

function problemMapper({ code, when }: Case, docsUrl: string | undefined): Message {
  return mapper(code, when, PROBLEM_MEDIA_TYPE, problemBody(code, { requestId: REQUEST_ID, docsUrl }));
}

function tokenMapper({ code, when }: Case): Message {
  const atTokenEndpoint = header(":path", `${ENDPOINTS.issueToken.path}(?:\\?.*)?`);
  const body = tokenErrorBody(code, { requestId: REQUEST_ID });
  return mapper(code, [...when, atTokenEndpoint], "application/json", body);
}

/** A placeholder for the request id. mapper() replaces it with HERE, which Envoy replaces in each reply. */
const REQUEST_ID: RequestId = "req_here";
const HERE = `%RESPONSE_HEADER(${REQUEST_ID_HEADER})%`;

function mapper(code: ProblemCode, when: readonly Message[], contentType: string, body: object): Message {
  return {
    filter: when.length === 1 ? when[0]! : { and_filter: { filters: when } },
    status_code: PROBLEM_REGISTRY[code].status,
    headers_to_add: headersOf(code),
    body_format_override: {
      text_format_source: {
        inline_string: JSON.stringify(body).replaceAll("%", "%%").replace(REQUEST_ID, HERE),
      },
      content_type: contentType,
    },
  };
}

function headersOf(code: ProblemCode): Message[] {
  const headers: Record<string, string> = {
    [REQUEST_ID_HEADER]: "req_%UNIQUE_ID%",
    "cache-control": "no-store",
  };
  const { status } = PROBLEM_REGISTRY[code];
  if (status === 405) headers["allow"] = "GET, POST";
  if (status === 429 || status === 503) headers[REPLY_HEADER.retryAfter] = `${RETRY_AFTER_SECONDS}`;
  return Object.entries(headers).map(([key, value]) => ({
    header: { key, value },
    append_action: "OVERWRITE_IF_EXISTS_OR_ADD",
  }));
}

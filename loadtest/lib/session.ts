// The requests of one VU: its token, its signatures, and the statuses that it expects.
import { check, sleep } from "k6";
import exec from "k6/execution";
import http from "k6/http";
import type { ArrayRefinedBatchRequest, Params, RefinedParams, RefinedResponse } from "k6/http";
import type { Signer } from "../../packages/jws/src/mod.ts";
import { certificateMismatches, refusals } from "./counters.ts";
import { announce, askForToken, cureOf, isOwnToken, openPartner } from "./partner.ts";
import type { Step } from "./service_levels.ts";
import { importSigningKey, k6Bytes, keySigner, signRequest } from "./sign.ts";

export type Reply = RefinedResponse<"text">;

export interface Call {
  readonly step: Step;
  readonly method?: "GET" | "POST";
  readonly target: string;
  readonly body?: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** The value of the Idempotency-Key header. */
  readonly key?: string;
  /** True signs with a new nonce. A string is the nonce to sign with. */
  readonly signed?: boolean | string;
  /** The expected statuses. The default is 200 and 201. */
  readonly expected?: readonly number[];
}

/** A request as it is sent. It can be sent more than once. */
interface Letter {
  readonly method: string;
  readonly url: string;
  readonly body: string | null;
  readonly params: RefinedParams<"text">;
  readonly step: Step;
  readonly expected: readonly number[];
}

export const partner = openPartner();

// k6 loads this file once for each VU, so each VU has its own copy of the variables below.
const VU = crypto.randomUUID().replace(/-/g, "").slice(0, 20);
const DONE = [200, 201];
/** The timeout that docs/idempotency.md recommends to partners. */
const TIMEOUT = "35s";
const TOKEN_SECONDS = 540;
const ATTEMPTS = 4;
const CERTIFICATE_CODES =
  /^(?:invalid_client|token_certificate_mismatch|certificate_(?:unknown|revoked|expired))$/;
const PRINTING_VUS = 5;

let signer: Signer | undefined;
let token: { readonly text: string; readonly untilMs: number } | undefined;
let made = 0;
let hasPrinted = false;

/** Returns a name that no VU of any run has used before. */
export const newName = (): string => `${VU}${made++}`;

/** Sends once and returns any reply. A lost reply has status 0. */
export async function send(call: Call): Promise<Reply> {
  return post(await write(call));
}

/**
 * Sends until the outcome is known: each retry has the same key and a new signature.
 * Gives up after ATTEMPTS tries.
 */
export const settle = (call: Call): Promise<Reply> => untilKnown(() => send(call));

/** Gets a token, with retries: the partner's own load may still keep the service busy. */
export const settleToken = (step: Step): Promise<Reply> => untilKnown(async () => newToken(step));

async function untilKnown(ask: () => Promise<Reply>): Promise<Reply> {
  let reply = await ask();
  for (let attempt = 1; attempt < ATTEMPTS && isUnknown(reply); attempt++) {
    sleep(Number(reply.headers["Retry-After"] ?? attempt));
    reply = await ask();
  }
  return reply;
}

export const isDone = ({ status }: Reply): boolean => status === 200 || status === 201;

const isUnknown = ({ status }: Reply): boolean =>
  status === 0 || status === 408 || status === 429 || status >= 500;

export async function write(call: Call): Promise<Letter> {
  const {
    step,
    method = call.body === undefined ? "GET" : "POST",
    target,
    body,
    key,
    signed,
    expected = DONE,
  } = call;
  const url = partner.base_url + target;
  const headers: Record<string, string> = { Authorization: `Bearer ${currentToken()}`, ...call.headers };
  if (body !== undefined) headers["Content-Type"] = "application/json";
  if (key !== undefined) headers["Idempotency-Key"] = key;
  if (signed) {
    signer ??= keySigner(
      await importSigningKey(JSON.stringify(partner.signing_jwk)),
      partner.signing_jwk.kid,
    );
    Object.assign(
      headers,
      await signRequest({
        method,
        url,
        body: k6Bytes.utf8(body ?? ""),
        timestamp: `${Math.floor(Date.now() / 1000)}`,
        nonce: signed === true ? newName() : signed,
      }, signer),
    );
  }
  return { method, url, body: body ?? null, params: paramsOf(step, headers, expected), step, expected };
}

/** The same request, byte for byte, sent as another step. */
export const again = (letter: Letter, step: Step, expected: readonly number[]): Letter => ({
  ...letter,
  params: paramsOf(step, letter.params.headers ?? {}, expected),
  step,
  expected,
});

export function post({ method, url, body, params, ...letter }: Letter): Reply {
  return judge(http.request(method, url, body, params), letter);
}

/** Sends all requests at the same time. */
export function postTogether(letters: readonly Letter[]): Reply[] {
  const requests = letters.map((
    { method, url, body, params },
  ): ArrayRefinedBatchRequest<"text"> => [method, url, body, params]);
  return http.batch(requests).map((reply, index) => judge(reply as Reply, letters[index]!));
}

/** Requests a new token, which the following calls use. */
export function newToken(step: Step = "token"): Reply {
  const reply = judge(askForToken(partner, paramsOf(step, {}, DONE)), { step, expected: DONE });
  if (reply.status !== 200) {
    token = undefined;
    return reply;
  }
  const text = reply.json("access_token") as string;
  if (!isOwnToken(text, partner)) certificateMismatches.add(1);
  token = { text, untilMs: Date.now() + TOKEN_SECONDS * 1000 };
  return reply;
}

function currentToken(): string {
  if (!token || Date.now() >= token.untilMs) newToken();
  return token?.text ?? "";
}

const callbacks: Record<string, ReturnType<typeof http.expectedStatuses>> = {};

function paramsOf(
  step: Step,
  headers: Record<string, string>,
  expected: readonly number[],
): RefinedParams<"text"> & Params {
  return {
    headers,
    tags: { step, name: step },
    timeout: TIMEOUT,
    responseType: "text",
    responseCallback: callbacks[expected.join()] ??= http.expectedStatuses(...expected),
  };
}

/** The problem's code, or k6's error code if there is no reply. */
export function codeOf({ status, body, error_code }: Reply): string {
  if (status === 0) return `no_reply_${error_code}`;
  return /"code":"([a-z_]+)"/.exec(body)?.[1] ?? `status_${status}`;
}

function judge(
  reply: Reply,
  { step, expected }: { readonly step: Step; readonly expected: readonly number[] },
): Reply {
  const isExpected = expected.includes(reply.status);
  check(reply, { [`${step} gets an expected status`]: () => isExpected });
  if (isExpected) return reply;
  const code = codeOf(reply);
  refusals.add(1, { step, code });
  if (CERTIFICATE_CODES.test(code)) certificateMismatches.add(1);
  if (reply.status === 401) token = undefined;
  // Print only for a few VUs, because with a thousand VUs the same message would appear a thousand times.
  if (!hasPrinted && exec.vu.idInTest <= PRINTING_VUS) {
    hasPrinted = true;
    console.error(`${step}: ${describe(reply)}`);
  }
  return reply;
}

const describe = (reply: Reply): string =>
  reply.status === 0
    ? reply.error
    : `${reply.status} ${codeOf(reply)}, request_id ${reply.headers["X-Request-Id"] ?? "none"}`;

/** Aborts the run if a request of setup() or teardown() fails, because the result would be meaningless. */
export function must(reply: Reply, why = "the result of the run would be meaningless"): Reply {
  if (!isDone(reply)) exec.test.abort(`${reply.url}: ${describe(reply)}; ${why}.`);
  return reply;
}

/**
 * Call this first in setup(): if the service cannot be
 * reached, the run fails once instead of in every iteration.
 */
export function begin(): void {
  announce(partner);
  const reply = newToken("setup");
  must(reply, cureOf(reply));
}

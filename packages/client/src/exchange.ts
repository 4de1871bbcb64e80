import { canonicalRequest } from "@gold-partner/canonical";
import { signDetached } from "@gold-partner/jws";
import {
  ENDPOINTS,
  hostBytes,
  type OperationId,
  REQUEST_HEADER,
  requestSigner,
} from "@gold-partner/protocol";
import { offsetSeconds, wrongClock } from "./clock.ts";
import { connectionFailure, type Failure, isTemporary, refusalOf, unsentOf } from "./failure.ts";
import { GoldError, type WriteOutcome } from "./gold_error.ts";
import { pause, pauseMs, within } from "./timing.ts";
import { readJsonReply } from "./reply_form.ts";
import type { Settings } from "./settings.ts";
import { signedExchange } from "./signed_exchange.ts";
import { type Grant, TokenSource } from "./token_source.ts";
import { readWhole, type TransportReply, type TransportRequest, type TransportStream } from "./transport.ts";
import { writeForm } from "./wire_value.ts";

/** The parts of a call that the operation's entry in ENDPOINTS does not determine. */
export interface Call {
  /** The path and query, as they are sent. */
  readonly target: string;
  readonly body?: string | Uint8Array;
  readonly headers?: Readonly<Record<string, string>>;
  readonly idempotencyKey?: string | undefined;
  readonly signal?: AbortSignal | undefined;
}

type ReplyReader = (reply: TransportReply, operation: OperationId) => unknown;
type Sent = Omit<TransportRequest, "signal">;
interface OpenStream {
  readonly body: AsyncIterable<Uint8Array>;
  readonly connection: AbortController;
}
type Outcome = { readonly reply: TransportReply } | { readonly failure: Failure };

const STREAM_TYPE = "text/event-stream";

const signRequest = requestSigner({ canonicalRequest, signDetached, bytes: hostBytes });

/** The longest pause of a stream, whatever Retry-After says. */
const STREAM_PAUSE_MAX_MS = 3_600_000;

/** Sends the calls of operations. Retries each until it succeeds, cannot be retried, or reaches a limit. */
export class Exchange {
  readonly #settings: Settings;
  readonly #tokens: TokenSource;
  #clockOffsetSeconds: number | undefined;
  #isClosed = false;

  constructor(settings: Settings) {
    this.#settings = settings;
    this.#tokens = new TokenSource(() => this.#fetchGrant(), settings.now);
  }

  get clockOffsetSeconds(): number | undefined {
    return this.#clockOffsetSeconds;
  }

  get knownThumbprints(): readonly string[] {
    return this.#settings.knownThumbprints;
  }

  close(): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    this.#settings.transport.close();
  }

  /**
   * Returns the value that `read` makes of the reply. When `read` throws, the reply does not have the
   * operation's form, and the call fails with reply_invalid.
   */
  async call(operation: OperationId, call: Call, read: ReplyReader = readJsonReply): Promise<unknown> {
    const reply = await this.#send(operation, call);
    try {
      return read(reply, operation);
    } catch (cause) {
      const { status, headers } = reply;
      const request_id = headers.get("X-Request-Id") ?? undefined;
      const outcome = writeOutcome(true, call);
      throw new GoldError(
        "reply_invalid",
        `The reply to ${operation} does not have the documented form: see the error's cause.`,
        { status, request_id, cause, retryable: outcome.outcomeUnknown, ...outcome },
      );
    }
  }

  /**
   * Opens a stream. Retries temporary failures without a limit, and throws permanent ones. Calls `onPause`
   * before each pause; it returns the number of pauses since the stream last received data or a comment. The
   * caller must abort `connection` after it has read the body.
   */
  async open(operation: OperationId, call: Call, onPause: () => number): Promise<OpenStream> {
    const { patienceMs, random } = this.#settings;
    let hasNewToken = false;
    for (let tries = 1;; tries++) {
      const startMs = performance.now();
      const connection = new AbortController();
      let body: AsyncIterable<Uint8Array> | undefined;
      const outcome = await this.#try(operation, call, startMs + patienceMs, async (sent) => {
        const stream = await this.#openStream({ ...sent, signal: connection.signal });
        if (stream.status !== 200) return await readWhole(stream);
        body = stream.body;
        return { ...stream, body: new Uint8Array() };
      });
      const failure = "failure" in outcome ? outcome.failure : undefined;
      const renews: boolean = failure?.cure === "token" && !hasNewToken;
      const willRetry = failure && (renews || isTemporary(failure));
      // A failed token request has its Retry-After among the facts alone.
      const seconds = failure?.facts.retryAfterSeconds;
      const askedMs = failure?.retryAfterMs ?? (seconds === undefined ? undefined : seconds * 1000);
      const retryAfterMs = askedMs === undefined ? undefined : Math.min(askedMs, STREAM_PAUSE_MAX_MS);
      const waitMs = !willRetry ? undefined : renews ? 0 : pauseMs(onPause(), retryAfterMs, random);
      this.#report(operation, tries, performance.now() - startMs, outcome, waitMs);
      if (!failure) return { body: body!, connection };
      connection.abort();
      if (waitMs === undefined) throw errorOf(failure, tries, call, false);
      hasNewToken = renews;
      await pause(waitMs, call.signal);
    }
  }

  async #openStream(request: TransportRequest): Promise<TransportStream> {
    const { transport } = this.#settings;
    if (!transport.open) {
      throw new GoldError("configuration_invalid", "Your `transport` has no open(), which a stream needs.");
    }
    const stream = await transport.open(request);
    const type = stream.headers.get("Content-Type") ?? "nothing";
    if (stream.status !== 200 || type.split(";")[0]!.trim().toLowerCase() === STREAM_TYPE) return stream;
    throw new GoldError("reply_invalid", `Content-Type must be ${STREAM_TYPE}; got ${type}.`);
  }

  /** Waits before the next connection of a stream. */
  async pause(pauses: number, signal: AbortSignal | undefined): Promise<void> {
    await pause(pauseMs(pauses, undefined, this.#settings.random), signal);
  }

  /**
   * Returns a reply whose status is 2xx. All tries have the same Idempotency-Key. Each try has its own
   * timestamp, nonce and signature.
   */
  async #send(operation: OperationId, call: Call): Promise<TransportReply> {
    const { triesMax, patienceMs, random } = this.#settings;
    const endMs = performance.now() + patienceMs;
    let [inDoubt, hasNewToken] = [false, false];
    for (let tries = 1;; tries++) {
      const startMs = performance.now();
      const outcome = await this.#try(operation, call, endMs);
      const report = (waitMs?: number) =>
        this.#report(operation, tries, performance.now() - startMs, outcome, waitMs);
      if ("reply" in outcome) {
        report();
        return outcome.reply;
      }
      const { failure } = outcome;
      inDoubt = failure.outcome === "unknown" || (failure.outcome === "unchanged" && inDoubt);
      const renews = failure.cure === "token" && !hasNewToken;
      const waitMs = renews ? 0 : pauseMs(tries, failure.retryAfterMs, random);
      const retries = failure.cure === "wait" && tries < triesMax;
      const willRetry = (renews || retries) && performance.now() + waitMs < endMs;
      report(willRetry ? waitMs : undefined);
      if (!willRetry) throw errorOf(failure, tries, call, inDoubt);
      hasNewToken ||= renews;
      await pause(waitMs, call.signal).catch((ended) => {
        throw errorOf(unsentOf(ended), tries, call, inDoubt);
      });
    }
  }

  async #try(
    operation: OperationId,
    call: Call,
    endMs: number,
    ask: (sent: TransportRequest) => Promise<TransportReply> = (sent) => this.#settings.transport.send(sent),
  ): Promise<Outcome> {
    const { baseUrl, timeoutMs, now } = this.#settings;
    const { method, token: needsToken } = ENDPOINTS[operation];
    const body = typeof call.body === "string" ? hostBytes.utf8(call.body) : call.body;
    const leftMs = () => Math.max(0, endMs - performance.now());
    let token: string | undefined;
    let [sent, reply] = [undefined as Sent | undefined, undefined as TransportReply | undefined];
    try {
      if (this.#isClosed) throw new GoldError("argument_invalid", "The client is closed; open a new one.");
      const headers = await within(leftMs(), call.signal, async () => {
        if (needsToken === "required") token = await this.#tokens.get();
        return await this.#headersOf(operation, call, token, body);
      });
      reply = await within(Math.min(timeoutMs, leftMs()), call.signal, (signal) => {
        sent = { method, url: baseUrl + call.target, headers, body };
        return ask({ ...sent, signal });
      });
      this.#clockOffsetSeconds = offsetSeconds(reply.headers, now()) ?? this.#clockOffsetSeconds;
      if (reply.status >= 200 && reply.status < 300) return { reply };
      const failure = refusalOf(reply, operation);
      if (failure.cure === "token" && token !== undefined) await this.#tokens.drop(token);
      return { failure: wrongClock(failure, this.#clockOffsetSeconds) };
    } catch (error) {
      return { failure: sent ? connectionFailure(error) : unsentOf(error) };
    } finally {
      if (sent) this.#reportExchange(operation, call, sent, reply);
    }
  }

  #reportExchange(
    operation: OperationId,
    { target, idempotencyKey }: Call,
    sent: Sent,
    reply: TransportReply | undefined,
  ): void {
    if (!ENDPOINTS[operation].signature || idempotencyKey === undefined) return;
    try {
      this.#settings.onExchange?.(signedExchange({ target, idempotencyKey }, sent, reply));
    } catch {
      // An error of the callback must not replace the call's result.
    }
  }

  async #headersOf(
    operation: OperationId,
    { target, headers, idempotencyKey }: Call,
    token: string | undefined,
    body: Uint8Array = new Uint8Array(),
  ): Promise<Record<string, string>> {
    const { method, signature } = ENDPOINTS[operation];
    return {
      Accept: ENDPOINTS[operation].reply.mediaType ?? "application/json",
      ...(method === "POST" ? { "Content-Type": "application/json" } : {}),
      ...(token === undefined ? {} : { [REQUEST_HEADER.authorization]: `Bearer ${token}` }),
      ...(idempotencyKey === undefined ? {} : { [REQUEST_HEADER.idempotencyKey]: idempotencyKey }),
      ...(signature ? await this.#sign(method, target, body) : {}),
      ...headers,
    };
  }

  async #sign(method: string, target: string, body: Uint8Array): Promise<Record<string, string>> {
    const { baseUrl, signer, now } = this.#settings;
    if (!signer) {
      throw new GoldError(
        "configuration_invalid",
        "This call must be signed: pass `signingKey` or `sign` when you open the client.",
      );
    }
    const timestamp = `${Math.floor(now() / 1000)}`;
    try {
      const request = { method, url: baseUrl + target, body, timestamp, nonce: crypto.randomUUID() };
      return { ...await signRequest(request, signer) };
    } catch (cause) {
      const reason = cause instanceof Error ? cause.message : String(cause);
      throw new GoldError("signing_failed", `The request could not be signed: ${reason}`, { cause });
    }
  }

  async #fetchGrant(): Promise<Grant> {
    const { clientId: client_id, clientSecret } = this.#settings;
    const form = {
      grant_type: "client_credentials",
      client_id,
      client_secret: await Promise.resolve().then(clientSecret).catch(secretMissing),
    };
    const grant = await this.call("issueToken", {
      target: ENDPOINTS.issueToken.path,
      body: writeForm(form),
      headers: { "Content-Type": "application/x-www-form-urlencoded" },
    }) as { readonly access_token?: unknown; readonly expires_in?: unknown };
    if (typeof grant.access_token === "string" && typeof grant.expires_in === "number") {
      return { token: grant.access_token, livesMs: grant.expires_in * 1000 };
    }
    throw new GoldError("reply_invalid", "The reply to issueToken has no valid access_token or expires_in.");
  }

  #report(operation: OperationId, tries: number, ms: number, outcome: Outcome, retryInMs?: number): void {
    const { observe } = this.#settings;
    if (!observe) return;
    const facts = "reply" in outcome
      ? { status: outcome.reply.status, request_id: outcome.reply.headers.get("X-Request-Id") ?? undefined }
      : { ...outcome.failure.facts, code: outcome.failure.facts.serviceCode ?? outcome.failure.code };
    const { status, request_id, code } = facts as { status?: number; request_id?: string; code?: string };
    try {
      observe({ operation, tries, ms, status, code, request_id, retryInMs });
    } catch {
      // An error of the observer must not replace the call's result.
    }
  }
}

function secretMissing(cause: unknown): never {
  const reason = cause instanceof Error ? cause.message : String(cause);
  throw new GoldError("configuration_invalid", `clientSecret() failed: ${reason}`, { cause });
}

/** The outcome of a failed call. Only the outcome of a write can be unknown. */
function writeOutcome(inDoubt: boolean, { idempotencyKey }: Call): WriteOutcome {
  return inDoubt && idempotencyKey !== undefined
    ? { outcomeUnknown: true, idempotencyKey }
    : { outcomeUnknown: false, idempotencyKey };
}

function errorOf(failure: Failure, tries: number, call: Call, inDoubt: boolean): GoldError {
  // A failed token request gives a failure without retryAfterMs. Its detail already says when to call again,
  // so the sentence is not added a second time.
  const seconds = failure.retryAfterMs === undefined ? undefined : failure.facts.retryAfterSeconds;
  const tried = tries > 1 ? ` (Tried ${tries} times.)` : "";
  const later = seconds === undefined ? "" : ` Call again in ${seconds} s.`;
  const detail = failure.detail + tried + later;
  return new GoldError(failure.code, detail, { ...failure.facts, ...writeOutcome(inDoubt, call) });
}

import { Buffer } from "node:buffer";
import { randomUUID } from "node:crypto";
import { readFile } from "node:fs/promises";
import { Agent, request, type RequestOptions } from "node:https";
import { importSigningKey, keySigner, type Signer } from "@gold-partner/jws";
import { ENDPOINTS, hostBytes, type OperationId, REQUEST_HEADER } from "@gold-partner/protocol";
import type { Credentials } from "@gold-partner/dev";
import { signTestRequest } from "@gold-partner/server/testing";

/** One call of an operation. These values are added to the operation's own values, or replace them. */
export interface Call {
  /** Path parameters. */
  readonly path?: Readonly<Record<string, string>>;
  readonly query?: Readonly<Record<string, string>>;
  /** An object is sent as JSON, a string as it is. */
  readonly body?: string | object;
  /** Idempotency-Key, X-Nonce and X-Timestamp. Each call gets new values by default. */
  readonly key?: string;
  readonly nonce?: string;
  readonly timestamp?: string;
  /** These replace the operation's own method and target, and the caller's token. */
  readonly method?: string;
  readonly target?: string;
  readonly token?: string;
  /** The body and the URL that are signed, if they differ from those that are sent. */
  readonly signedBody?: string;
  readonly signedUrl?: string;
  /** These headers replace all other headers of the same name. `null` removes a header. */
  readonly headers?: Readonly<Record<string, string | null>>;
  /** Sends only the first byte of the body, and never the rest. */
  readonly stalls?: true;
}

export interface Certificate {
  readonly cert: string;
  readonly key: string;
}

/**
 * How long a call may take. Longer than the gateway and Envoy wait for a request, or for a service that sends
 * nothing.
 */
const TIMEOUT_MS = 45_000;
const nowSeconds = () => Math.floor(Date.now() / 1000);

/**
 * A partner that calls the service over mutual TLS. Each call has the token, the idempotency key and the
 * signature that the table of operations requires.
 */
export class Caller {
  readonly credentials: Credentials;
  readonly #tls: Certificate & { readonly ca: string };
  readonly #signer: Signer;
  readonly #baseUrl: string;
  /** Holds the one connection that stays open. Undefined if every call opens a new connection. */
  readonly #kept: Agent | undefined;
  #token: string | undefined;

  private constructor(
    credentials: Credentials,
    tls: Certificate & { ca: string },
    signer: Signer,
    baseUrl: string,
    kept?: Agent,
  ) {
    this.credentials = credentials;
    this.#tls = tls;
    this.#signer = signer;
    this.#baseUrl = baseUrl;
    this.#kept = kept;
  }

  static async of(credentials: Credentials): Promise<Caller> {
    const { ca, cert, key, signing_key, base_url } = credentials;
    const [caPem, certPem, keyPem, signingPem] = await Promise.all(
      [ca, cert, key, signing_key].map((file) => readFile(file, "utf8")),
    );
    const signer = keySigner(await importSigningKey(signingPem!));
    const caller = new Caller(credentials, { ca: caPem!, cert: certPem!, key: keyPem! }, signer, base_url);
    // On a busy machine, Envoy may have removed a service whose health checks were late.
    await caller.until(({ status }) => status !== 503, "issueToken", { body: caller.form });
    await caller.renewToken();
    return caller;
  }

  /** Returns a caller for the same partner and token, through the gateway or Envoy on another port. */
  through(port: number): Caller {
    return this.#changed({ baseUrl: `https://localhost:${port}` });
  }

  /** Returns a caller for the same partner and token, with another certificate. */
  presenting(certificate: Certificate): Caller {
    return this.#changed({ tls: { ...this.#tls, ...certificate } });
  }

  /** Returns a caller for the same partner and token that keeps one connection open. */
  staying(): Caller {
    return this.#changed({ kept: new Agent({ ...this.#tls, keepAlive: true, maxSockets: 1 }) });
  }

  get token(): string {
    if (this.#token === undefined) throw new Error("The caller has no token yet.");
    return this.#token;
  }

  /** The form that POST /oauth/token takes. */
  get form(): string {
    const { client_id, client_secret } = this.credentials;
    return new URLSearchParams({ grant_type: "client_credentials", client_id, client_secret }).toString();
  }

  async renewToken(): Promise<void> {
    const { access_token } = await this.succeed("issueToken", { body: this.form });
    this.#token = access_token as string;
  }

  async call(operation: OperationId, call: Call = {}): Promise<Response> {
    const endpoint = ENDPOINTS[operation];
    const { method = endpoint.method, target = targetOf(operation, call), headers = {} } = call;
    const body = typeof call.body === "object" ? JSON.stringify(call.body) : call.body;
    const all: Record<string, string | null> = {
      ...(endpoint.token === "none"
        ? {}
        : { [REQUEST_HEADER.authorization]: `Bearer ${call.token ?? this.token}` }),
      ...(endpoint.request ? { "Content-Type": contentTypeOf(operation) } : {}),
      ...(endpoint.idempotent ? { [REQUEST_HEADER.idempotencyKey]: call.key ?? randomUUID() } : {}),
      ...(endpoint.signature ? await this.#sign(method, target, body ?? "", call) : {}),
      ...(body === undefined ? {} : { "Content-Length": `${hostBytes.utf8(body).length}` }),
      ...headers,
    };
    const sent = Object.entries(all).filter((header): header is [string, string] => header[1] !== null);
    const options = { method, path: target, headers: Object.fromEntries(sent) };
    return await ask(
      { ...addressOf(this.#baseUrl), ...options, agent: this.#kept ?? new Agent(this.#tls) },
      body,
      { stalls: call.stalls === true, stays: this.#kept !== undefined },
    );
  }

  /** Makes a call that must succeed, to set up a test. Returns the reply's body. */
  async succeed(operation: OperationId, call: Call = {}): Promise<Record<string, unknown>> {
    const reply = await this.call(operation, call);
    const text = await reply.text();
    if (!reply.ok) throw new Error(`${operation} returned ${reply.status}: ${text}`);
    return JSON.parse(text) as Record<string, unknown>;
  }

  /**
   * Waits until the operation's reply is as wanted. Admission re-reads an operator's changes only once a
   * second.
   */
  async until(
    isWanted: (reply: Response) => boolean | Promise<boolean>,
    operation: OperationId = "getBalances",
    call: Call = {},
  ): Promise<void> {
    const deadlineMs = performance.now() + TIMEOUT_MS;
    for (;;) {
      const reply = await this.call(operation, call).catch(() => undefined);
      if (reply && await isWanted(reply)) return;
      if (performance.now() > deadlineMs) {
        throw new Error(`${operation} still returns ${reply?.status}.`);
      }
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
  }

  async #sign(method: string, target: string, body: string, call: Call): Promise<Record<string, string>> {
    const { nonce = randomUUID(), timestamp = `${nowSeconds()}` } = call;
    const url = call.signedUrl ?? this.credentials.base_url + target;
    const bytes = hostBytes.utf8(call.signedBody ?? body);
    return { ...await signTestRequest({ method, url, body: bytes, timestamp, nonce }, this.#signer) };
  }

  #changed({ tls = this.#tls, baseUrl = this.#baseUrl, kept }: Change): Caller {
    const changed = new Caller(this.credentials, tls, this.#signer, baseUrl, kept);
    changed.#token = this.#token;
    return changed;
  }
}

interface Change {
  readonly tls?: Certificate & { readonly ca: string };
  readonly baseUrl?: string;
  readonly kept?: Agent;
}

function targetOf(operation: OperationId, { path = {}, query = {} }: Call): string {
  const plain = ENDPOINTS[operation].path.replace(/\{([a-z_]+)\}/g, (_, name: string) => path[name] ?? "");
  const search = new URLSearchParams(query).toString();
  return search === "" ? plain : `${plain}?${search}`;
}

function contentTypeOf(operation: OperationId): string {
  const mediaType = ENDPOINTS[operation].request!.mediaType;
  return mediaType === "*/*" ? "application/json" : mediaType;
}

function addressOf(baseUrl: string): RequestOptions {
  const { hostname, port } = new URL(baseUrl);
  return { hostname, port: port || 443, servername: hostname };
}

interface Manner {
  readonly stalls: boolean;
  readonly stays: boolean;
}

function ask(
  options: RequestOptions,
  body: string | undefined,
  { stalls, stays }: Manner,
): Promise<Response> {
  return new Promise((resolve, reject) => {
    const outgoing = request({ ...options, timeout: TIMEOUT_MS }, (reply) => {
      const parts: Uint8Array[] = [];
      const finish = () => {
        if (!stays) outgoing.destroy();
        resolve(
          new Response(Buffer.concat(parts), {
            status: reply.statusCode!,
            headers: headersOf(reply.rawHeaders),
          }),
        );
      };
      // A stream does not end by itself. It is read until its first message is whole.
      const streams = reply.headers["content-type"] === "text/event-stream";
      reply.on("data", (part: Uint8Array) => {
        parts.push(part);
        if (streams && /^data: .*\n\n/m.test(Buffer.concat(parts).toString())) finish();
      }).on("error", reject).on("end", finish);
    });
    outgoing.on(
      "timeout",
      () => outgoing.destroy(new Error(`${options.path} got no reply within ${TIMEOUT_MS / 1000} s`)),
    ).on(
      "error",
      reject,
    );
    if (stalls) outgoing.write(body!.slice(0, 1));
    else outgoing.end(body);
  });
}

function headersOf(raw: readonly string[]): Headers {
  const headers = new Headers();
  for (let at = 0; at + 1 < raw.length; at += 2) headers.append(raw[at]!, raw[at + 1]!);
  return headers;
}

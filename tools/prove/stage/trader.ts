import { Buffer } from "node:buffer";
import { randomUUID, X509Certificate } from "node:crypto";
import { readFile } from "node:fs/promises";
import { canonicalRequest } from "@gold-partner/canonical";
import { importSigningKey, keySigner, signDetached, type Signer } from "@gold-partner/jws";
import { hostBytes, requestSigner } from "@gold-partner/protocol";
import type { Credentials } from "@gold-partner/dev";
import { until } from "../../testing/until.ts";
import { memberOf, type Reply, requireReply, Wire } from "./wire.ts";

const signRequest = requestSigner({ canonicalRequest, signDetached, bytes: hostBytes });

export type Side = "buy" | "sell";

interface OrderChoice {
  readonly key?: string;
  readonly nonce?: string;
  readonly timestampSeconds?: number;
}

export const nowSeconds = (): number => Math.floor(Date.now() / 1000);

/**
 * Builds a partner's requests as bytes, so that a program can send them at any time and over any connection.
 */
export class PartnerRequests {
  readonly #account: Pick<Credentials, "client_id" | "client_secret" | "base_url">;
  readonly #fingerprint: string;
  readonly #signer: Signer;
  #token = "";

  /** `fingerprint` is that of the partner's certificate. */
  constructor(
    account: Pick<Credentials, "client_id" | "client_secret" | "base_url">,
    fingerprint: string,
    signer: Signer,
  ) {
    this.#account = account;
    this.#fingerprint = fingerprint;
    this.#signer = signer;
  }

  static async read(credentials: Credentials): Promise<PartnerRequests> {
    return new PartnerRequests(credentials, ...await readKeys(credentials));
  }

  /**
   * Gets a new token, because a token lives for ten minutes and a proof may last longer. Tries again after a
   * 503, because a process may need some seconds after an outage until it has read its registry.
   */
  async renewToken(socketPath: string): Promise<void> {
    let reply: Reply | undefined;
    await until(async () => {
      reply = await ask(socketPath, this.tokenRequest());
      return reply?.status !== 503;
    });
    this.takeToken(reply);
  }

  tokenRequest(): Uint8Array {
    const { client_id, client_secret } = this.#account;
    const form = new URLSearchParams({ grant_type: "client_credentials", client_id, client_secret });
    return this.#write("POST", "/oauth/token", hostBytes.utf8(form.toString()), {
      "Content-Type": "application/x-www-form-urlencoded",
    });
  }

  takeToken(reply: Reply | string | undefined): void {
    this.#token = memberOf(
      requireReply(`the token of ${this.#account.client_id}`, reply, 200),
      "access_token",
    );
  }

  read(path: string): Uint8Array {
    return this.#write("GET", path, new Uint8Array(), this.#bearer());
  }

  fund(amountSar: string, key: string = randomUUID()): Uint8Array {
    return this.unsigned("/sandbox/fund", hostBytes.utf8(`{"amount_sar":${amountSar}}`), key);
  }

  quote(side: Side, goldGrams: string, key: string = randomUUID()): Uint8Array {
    const body = `{"side":"${side}","gold_grams":${goldGrams}}`;
    return this.unsigned("/v1/quotes", hostBytes.utf8(body), key);
  }

  async order(quoteId: string, choice: OrderChoice = {}): Promise<Uint8Array> {
    return await this.signed("/v1/orders", hostBytes.utf8(JSON.stringify({ quote_id: quoteId })), choice);
  }

  /** Builds a signed request with any bytes as its body. */
  async signed(path: string, body: Uint8Array, choice: OrderChoice = {}): Promise<Uint8Array> {
    const { key = randomUUID(), nonce = randomUUID(), timestampSeconds = nowSeconds() } = choice;
    const url = this.#account.base_url + path;
    const timestamp = `${timestampSeconds}`;
    const signed = await signRequest({ method: "POST", url, body, timestamp, nonce }, this.#signer);
    return this.unsigned(path, body, key, { ...signed });
  }

  /** Builds a request with any bytes as its body. */
  unsigned(
    path: string,
    body: Uint8Array,
    key: string = randomUUID(),
    headers: Record<string, string> = {},
  ): Uint8Array {
    return this.#write("POST", path, body, {
      ...this.#bearer(),
      "Content-Type": "application/json",
      "Idempotency-Key": key,
      ...headers,
    });
  }

  #bearer(): Record<string, string> {
    return this.#token ? { Authorization: `Bearer ${this.#token}` } : {};
  }

  #write(method: string, path: string, body: Uint8Array, headers: Record<string, string>): Uint8Array {
    const all: Record<string, string> = {
      Host: new URL(this.#account.base_url).host,
      // The headers that the gateway would add.
      "x-forwarded-client-cert": `Hash=${this.#fingerprint}`,
      "x-client-ip": "127.0.0.1",
      "Content-Length": `${body.length}`,
      ...headers,
    };
    const lines = Object.entries(all).map(([name, value]) => `${name}: ${value}\r\n`);
    return Buffer.concat([hostBytes.utf8(`${method} ${path} HTTP/1.1\r\n${lines.join("")}\r\n`), body]);
  }
}

/** A partner of a deployment. */
export class Trader extends PartnerRequests {
  readonly clientId: string;
  /** The client's number in the books. */
  readonly client: number;
  readonly credentials: Credentials;

  constructor(credentials: Credentials, client: number, fingerprint: string, signer: Signer) {
    super(credentials, fingerprint, signer);
    this.clientId = credentials.client_id;
    this.client = client;
    this.credentials = credentials;
  }

  static async of(credentials: Credentials, client: number): Promise<Trader> {
    return new Trader(credentials, client, ...await readKeys(credentials));
  }
}

/** Sends one request over a new connection. */
export async function ask(socketPath: string, request: Uint8Array): Promise<Reply | undefined> {
  const wire = await Wire.open(socketPath);
  try {
    return await wire.send(request);
  } finally {
    wire.close();
  }
}

/** Reads the fingerprint of the partner's certificate, and its signing key. */
async function readKeys(
  { cert, signing_key }: Credentials,
): Promise<[fingerprint: string, signer: Signer]> {
  const [certificate, signingKey] = await Promise.all(
    [cert, signing_key].map((file) => readFile(file, "utf8")),
  );
  const fingerprint = new X509Certificate(certificate!).fingerprint256.replaceAll(":", "").toLowerCase();
  return [fingerprint, keySigner(await importSigningKey(signingKey!))];
}

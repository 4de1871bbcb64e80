// A partner whose requests are built as bytes before the clock starts. The same bytes go to the service's
// socket and to Envoy.
import { Buffer } from "node:buffer";
import { createHash, randomUUID, X509Certificate } from "node:crypto";
import { readFileSync } from "node:fs";
import type { Credentials } from "@gold-partner/dev";
import { canonicalRequest } from "@gold-partner/canonical";
import { importSigningKey, keySigner, signDetached, type Signer } from "@gold-partner/jws";
import { hostBytes, requestSigner } from "@gold-partner/protocol";
import { Connection } from "../orders/connection.ts";

const signRequest = requestSigner({ canonicalRequest, signDetached, bytes: hostBytes });
const FUNDS_SAR = "10000000";
const GRAMS = "0.001";
const QUOTES_AT_ONCE = 16;
const ORDERS_PATH = "/v1/orders";

export class BenchPartner {
  readonly #credentials: Credentials;
  readonly #socket: string;
  readonly #fingerprint: string;
  readonly #signer: Signer;
  #token = "";

  private constructor(credentials: Credentials, socket: string, signer: Signer) {
    const { raw } = new X509Certificate(readFileSync(credentials.cert));
    this.#credentials = credentials;
    this.#socket = socket;
    this.#fingerprint = createHash("sha256").update(raw).digest("hex");
    this.#signer = signer;
  }

  /** Gets a token and funds for the partner, through the service's own socket. */
  static async open(credentials: Credentials, socket: string): Promise<BenchPartner> {
    const signer = keySigner(await importSigningKey(readFileSync(credentials.signing_key, "utf8")));
    const partner = new BenchPartner(credentials, socket, signer);
    await partner.renewToken();
    await partner.#ask([partner.#post("/sandbox/fund", `{"amount_sar":${FUNDS_SAR}}`)]);
    return partner;
  }

  /** Gets a new token. A token is valid for ten minutes, and a benchmark may take longer. */
  async renewToken(): Promise<void> {
    const { client_id, client_secret } = this.#credentials;
    const form = new URLSearchParams({ grant_type: "client_credentials", client_id, client_secret });
    this.#token = "";
    const headers = { "content-type": "application/x-www-form-urlencoded" };
    const [body] = await this.#ask([this.#request("POST", "/oauth/token", headers, form.toString())]);
    this.#token = (JSON.parse(body!) as { access_token: string }).access_token;
  }

  /** The cheapest request. It shows the cost of a request without any work for its content. */
  healthRequests(count: number): Buffer[] {
    return new Array<Buffer>(count).fill(this.#request("GET", "/health", {}, ""));
  }

  /** Returns signed orders, each for its own quote. */
  async orderRequests(count: number): Promise<Buffer[]> {
    const quote = `{"side":"buy","gold_grams":${GRAMS}}`;
    const quotes = await this.#ask(Array.from({ length: count }, () => this.#post("/v1/quotes", quote)));
    return await Promise.all(
      quotes.map((body) => this.#order((JSON.parse(body) as { quote_id: string }).quote_id)),
    );
  }

  async #order(quoteId: string): Promise<Buffer> {
    const body = JSON.stringify({ quote_id: quoteId });
    const signed = await signRequest({
      method: "POST",
      url: this.#credentials.base_url + ORDERS_PATH,
      body: hostBytes.utf8(body),
      timestamp: `${Math.floor(Date.now() / 1000)}`,
      nonce: randomUUID(),
    }, this.#signer);
    return this.#post(ORDERS_PATH, body, { ...signed });
  }

  #post(path: string, body: string, headers: Record<string, string> = {}): Buffer {
    return this.#request("POST", path, {
      "content-type": "application/json",
      "idempotency-key": randomUUID(),
      ...headers,
    }, body);
  }

  /**
   * Adds the identity headers that Envoy would set. If the request goes through Envoy, Envoy replaces them.
   */
  #request(method: string, path: string, headers: Record<string, string>, body: string): Buffer {
    const lines = Object.entries({
      host: new URL(this.#credentials.base_url).host,
      "x-forwarded-client-cert": `Hash=${this.#fingerprint}`,
      "x-client-ip": "127.0.0.1",
      ...(this.#token === "" ? {} : { authorization: `Bearer ${this.#token}` }),
      ...(body === "" ? {} : { "content-length": `${Buffer.byteLength(body)}` }),
      ...headers,
    }).map(([name, value]) => `${name}: ${value}\r\n`).join("");
    return Buffer.from(`${method} ${path} HTTP/1.1\r\n${lines}\r\n${body}`);
  }

  async #ask(requests: readonly Buffer[]): Promise<string[]> {
    const connections = Array.from(
      { length: Math.min(QUOTES_AT_ONCE, requests.length) },
      () => new Connection(this.#socket),
    );
    return await sendAll(connections, requests);
  }
}

/**
 * Sends all requests and closes the connections. Each connection sends its next request when its previous
 * request is answered. Throws if a request does not succeed.
 */
export async function sendAll(
  connections: readonly Connection[],
  requests: readonly Buffer[],
): Promise<string[]> {
  const bodies: string[] = [];
  let next = 0;
  try {
    await Promise.all(connections.map(async (connection) => {
      while (next < requests.length) {
        const index = next++;
        const { status, body } = await connection.ask(requests[index]!);
        if (status >= 300) throw new Error(`A request got status ${status}: ${body}`);
        bodies[index] = body;
      }
    }));
  } finally {
    for (const connection of connections) connection.close();
  }
  return bodies;
}

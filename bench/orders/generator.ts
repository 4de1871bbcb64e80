// The process that sends the orders: `prepare` signs a turn's orders, `run` sends them.
import { Buffer } from "node:buffer";
import { randomUUID } from "node:crypto";
import process from "node:process";
import { canonicalRequest } from "@gold-partner/canonical";
import { importSigningKey, keySigner, signDetached, type Signer } from "@gold-partner/jws";
import { hostBytes, requestSigner } from "@gold-partner/protocol";
import { takeErrands } from "../child_program.ts";
import type { Sample } from "../harness.ts";
import { latencyOf } from "../summary.ts";
import { Connection } from "./connection.ts";

/** How to reach the service, and as whom: every partner has the same secret. */
export interface Settings {
  readonly socket: string;
  readonly baseUrl: string;
  readonly clientSecret: string;
  readonly partners: readonly PartnerIdentity[];
}

interface PartnerIdentity {
  readonly clientId: string;
  readonly fingerprint: string;
  readonly signingJwk: SigningJwk;
}

export type SigningJwk = Readonly<Record<"kty" | "crv" | "x" | "y" | "d", string>>;

/** A turn: one order for each quote, from the partners in turn, beginning with one of them. */
export interface Orders {
  readonly quoteIds: readonly string[];
  readonly partners: number;
  readonly firstPartner: number;
  readonly inFlight: number;
}

export type Errand =
  | { readonly settings: Settings }
  | { readonly prepare: Orders }
  | { readonly run: true };

export type Report = Omit<Sample, "operations" | "cpuMs">;

const signRequest = requestSigner({ canonicalRequest, signDetached, bytes: hostBytes });
const ORDERS_PATH = "/v1/orders";
const SIGNED_AT_ONCE = 16;
/** Half of a token's life: it lasts for the signing of a turn's orders and the turn. */
const TOKEN_MS = 300_000;
const OK = 200;
const CREATED = 201;

class Generator {
  readonly #settings: Settings;
  readonly #signers: ReadonlyMap<string, Signer>;
  readonly #tokens = new Map<string, { readonly text: string; readonly sinceMs: number }>();
  #requests: Buffer[] = [];
  #connections: Connection[] = [];

  constructor(settings: Settings, signers: ReadonlyMap<string, Signer>) {
    this.#settings = settings;
    this.#signers = signers;
  }

  async prepare({ quoteIds, partners, firstPartner, inFlight }: Orders): Promise<void> {
    const senders = this.#settings.partners.slice(0, partners);
    const youngMs = performance.now() - TOKEN_MS;
    await this.#fetchTokens(
      senders.filter(({ clientId }) => !((this.#tokens.get(clientId)?.sinceMs ?? -Infinity) > youngMs)),
    );
    const requests: Buffer[] = [];
    let next = 0;
    await inLanes(SIGNED_AT_ONCE, async () => {
      const index = next++;
      if (index >= quoteIds.length) return false;
      requests[index] = await this.#orderRequest(
        quoteIds[index]!,
        senders[(firstPartner + index) % senders.length]!,
      );
      return true;
    });
    this.#requests = requests;
    // Last, because the service closes a connection that idles.
    this.#connections = Array.from({ length: inFlight }, () => new Connection(this.#settings.socket));
  }

  /** Each connection sends its next order when it has the answer to the one before. */
  async run(): Promise<Report> {
    const requests = this.#requests;
    const latencies = new Array<number>(requests.length);
    const [startMs, startCpu] = [performance.now(), process.cpuUsage()];
    let next = 0;
    await Promise.all(
      this.#connections.map(async (connection) => {
        while (next < requests.length) {
          const [index, askedMs] = [next++, performance.now()];
          const { status, body } = await connection.ask(requests[index]!);
          latencies[index] = (performance.now() - askedMs) * 1000;
          if (status !== CREATED) throw new Error(`an order was answered with ${status}: ${body}`);
        }
      }),
    );
    const wallMs = performance.now() - startMs;
    const { user, system } = process.cpuUsage(startCpu);
    for (const connection of this.#connections) connection.close();
    return {
      wallMs,
      loadCpuMs: (user + system) / 1000,
      ...latencyOf(latencies),
    };
  }

  async #fetchTokens(partners: readonly PartnerIdentity[]): Promise<void> {
    const connection = new Connection(this.#settings.socket);
    const headers = { "content-type": "application/x-www-form-urlencoded" };
    for (const { clientId, fingerprint } of partners) {
      const form = new URLSearchParams({
        grant_type: "client_credentials",
        client_id: clientId,
        client_secret: this.#settings.clientSecret,
      });
      const { status, body } = await connection.ask(
        this.#request("/oauth/token", fingerprint, headers, form.toString()),
      );
      if (status !== OK) throw new Error(`no token: ${status} ${body}`);
      const { access_token } = JSON.parse(body) as { access_token: string };
      this.#tokens.set(clientId, { text: access_token, sinceMs: performance.now() });
    }
    connection.close();
  }

  async #orderRequest(quoteId: string, { clientId, fingerprint }: PartnerIdentity): Promise<Buffer> {
    const body = JSON.stringify({ quote_id: quoteId });
    const signed = await signRequest({
      method: "POST",
      url: this.#settings.baseUrl + ORDERS_PATH,
      body: hostBytes.utf8(body),
      timestamp: `${Math.floor(Date.now() / 1000)}`,
      nonce: randomUUID(),
    }, this.#signers.get(clientId)!);
    return this.#request(ORDERS_PATH, fingerprint, {
      authorization: `Bearer ${this.#tokens.get(clientId)!.text}`,
      "content-type": "application/json",
      "idempotency-key": randomUUID(),
      ...signed,
    }, body);
  }

  /** As the proxy passes it on: the certificate's hash and the client's address are its own. */
  #request(path: string, fingerprint: string, headers: Record<string, string>, body: string): Buffer {
    const lines = Object.entries({
      host: new URL(this.#settings.baseUrl).host,
      "x-forwarded-client-cert": `Hash=${fingerprint}`,
      "x-client-ip": "127.0.0.1",
      "content-length": `${Buffer.byteLength(body)}`,
      ...headers,
    }).map(([name, value]) => `${name}: ${value}\r\n`).join("");
    return Buffer.from(`POST ${path} HTTP/1.1\r\n${lines}\r\n${body}`);
  }
}

/** Runs `step` in that many lanes until it has nothing left to do. */
async function inLanes(lanes: number, step: () => Promise<boolean>): Promise<void> {
  await Promise.all(Array.from({ length: lanes }, async () => {
    while (await step());
  }));
}

let generator: Generator | undefined;

async function act(errand: Errand): Promise<Report | Record<string, never>> {
  if ("settings" in errand) {
    const { settings } = errand;
    const signers = await Promise.all(
      settings.partners.map(async ({ clientId, signingJwk }) =>
        [clientId, keySigner(await importSigningKey(signingJwk))] as const
      ),
    );
    generator = new Generator(settings, new Map(signers));
    return {};
  }
  if (!generator) throw new Error("the settings come first");
  if ("run" in errand) return await generator.run();
  await generator.prepare(errand.prepare);
  return {};
}

await takeErrands(act);

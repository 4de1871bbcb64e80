// The process that sends the requests of a turn, which is one measured interval. `prepare` builds the
// requests and signs the orders. `run` sends the requests.
import { Buffer } from "node:buffer";
import { randomUUID } from "node:crypto";
import process from "node:process";
import { canonicalRequest } from "@gold-partner/canonical";
import { importSigningKey, keySigner, signDetached, type Signer } from "@gold-partner/jws";
import { hostBytes, requestSigner } from "@gold-partner/protocol";
import { takeTasks } from "../../testing/child_program.ts";
import type { Sample } from "../harness.ts";
import { latencyOf } from "../summary.ts";
import { Connection } from "./connection.ts";

/** How to reach the service, and the partners' identities. Every partner has the same client secret. */
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

/** The requests of a turn: one order for each of these quotes, or this number of new quotes. */
export type Plan = { readonly ordersOf: readonly string[] } | { readonly newQuotes: number };

/** The requests go to the partners round-robin, beginning with `firstPartner`. */
export interface Requests {
  readonly plan: Plan;
  readonly partners: number;
  readonly firstPartner: number;
  readonly inFlight: number;
}

export type Task =
  | { readonly settings: Settings }
  | { readonly prepare: Requests }
  | { readonly run: number | "all" }
  | { readonly quoteIds: true };

export type Report = Omit<Sample, "operations" | "cpuMs">;

const signRequest = requestSigner({ canonicalRequest, signDetached, bytes: hostBytes });
const ORDERS_PATH = "/v1/orders";
const QUOTES_PATH = "/v1/quotes";
const NEW_QUOTE = JSON.stringify({ side: "buy", gold_grams: 0.001 });
const SIGNED_AT_ONCE = 16;
/**
 * Half of a token's lifetime. Older tokens are replaced before a turn, so that no token expires during it.
 */
const TOKEN_MS = 300_000;
const OK = 200;
const CREATED = 201;

class Generator {
  readonly #settings: Settings;
  readonly #signers: ReadonlyMap<string, Signer>;
  readonly #tokens = new Map<string, { readonly text: string; readonly sinceMs: number }>();
  #requests: Buffer[] = [];
  #connections: Connection[] = [];
  #replies: string[] = [];
  #next = 0;

  constructor(settings: Settings, signers: ReadonlyMap<string, Signer>) {
    this.#settings = settings;
    this.#signers = signers;
  }

  async prepare({ plan, partners, firstPartner, inFlight }: Requests): Promise<void> {
    const senders = this.#settings.partners.slice(0, partners);
    const youngMs = performance.now() - TOKEN_MS;
    await this.#fetchTokens(
      senders.filter(({ clientId }) => !((this.#tokens.get(clientId)?.sinceMs ?? -Infinity) > youngMs)),
    );
    const count = "ordersOf" in plan ? plan.ordersOf.length : plan.newQuotes;
    const requests: Buffer[] = [];
    let next = 0;
    await inParallel(SIGNED_AT_ONCE, async () => {
      const index = next++;
      if (index >= count) return false;
      const sender = senders[(firstPartner + index) % senders.length]!;
      requests[index] = "ordersOf" in plan
        ? await this.#orderRequest(plan.ordersOf[index]!, sender)
        : this.#write(QUOTES_PATH, sender, NEW_QUOTE);
      return true;
    });
    this.#requests = requests;
    this.#replies = [];
    this.#next = 0;
    // Connect last, because the service closes idle connections.
    this.#connections = Array.from({ length: inFlight }, () => new Connection(this.#settings.socket));
  }

  /**
   * Sends `count` of the prepared requests. Each connection sends its next request when the previous one is
   * answered.
   */
  async run(count: number | "all"): Promise<Report> {
    const requests = this.#requests;
    const end = count === "all" ? requests.length : Math.min(requests.length, this.#next + count);
    const latencies: number[] = [];
    const [startMs, startCpu] = [performance.now(), process.cpuUsage()];
    await Promise.all(
      this.#connections.map(async (connection) => {
        while (this.#next < end) {
          const [index, sentMs] = [this.#next++, performance.now()];
          const { status, body } = await connection.ask(requests[index]!);
          latencies.push((performance.now() - sentMs) * 1000);
          this.#replies[index] = body;
          if (status !== CREATED) throw new Error(`a request got status ${status}: ${body}`);
        }
      }),
    );
    const wallMs = performance.now() - startMs;
    const { user, system } = process.cpuUsage(startCpu);
    if (end === requests.length) { for (const connection of this.#connections) connection.close(); }
    return {
      wallMs,
      loadCpuMs: (user + system) / 1000,
      ...latencyOf(latencies),
    };
  }

  /** The ids of the quotes that the prepared requests created, in the order of the requests. */
  readQuoteIds(): string[] {
    return this.#replies.map((body) => (JSON.parse(body) as { quote_id: string }).quote_id);
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
      if (status !== OK) throw new Error(`the token request got status ${status}: ${body}`);
      const { access_token } = JSON.parse(body) as { access_token: string };
      this.#tokens.set(clientId, { text: access_token, sinceMs: performance.now() });
    }
    connection.close();
  }

  async #orderRequest(quoteId: string, sender: PartnerIdentity): Promise<Buffer> {
    const body = JSON.stringify({ quote_id: quoteId });
    const signed = await signRequest({
      method: "POST",
      url: this.#settings.baseUrl + ORDERS_PATH,
      body: hostBytes.utf8(body),
      timestamp: `${Math.floor(Date.now() / 1000)}`,
      nonce: randomUUID(),
    }, this.#signers.get(sender.clientId)!);
    return this.#write(ORDERS_PATH, sender, body, { ...signed });
  }

  #write(
    path: string,
    { clientId, fingerprint }: PartnerIdentity,
    body: string,
    signed: Readonly<Record<string, string>> = {},
  ): Buffer {
    return this.#request(path, fingerprint, {
      authorization: `Bearer ${this.#tokens.get(clientId)!.text}`,
      "content-type": "application/json",
      "idempotency-key": randomUUID(),
      ...signed,
    }, body);
  }

  /**
   * Builds a request as the proxy forwards it: the proxy adds the certificate's hash and the client's
   * address.
   */
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

/** Runs `step` in `loops` parallel loops until it returns false. */
async function inParallel(loops: number, step: () => Promise<boolean>): Promise<void> {
  await Promise.all(Array.from({ length: loops }, async () => {
    while (await step());
  }));
}

let generator: Generator | undefined;

async function act(task: Task): Promise<Report | { quoteIds: string[] } | Record<string, never>> {
  if ("settings" in task) {
    const { settings } = task;
    const signers = await Promise.all(
      settings.partners.map(async ({ clientId, signingJwk }) =>
        [clientId, keySigner(await importSigningKey(signingJwk))] as const
      ),
    );
    generator = new Generator(settings, new Map(signers));
    return {};
  }
  if (!generator) throw new Error("the first command must be settings");
  if ("run" in task) return await generator.run(task.run);
  if ("quoteIds" in task) return { quoteIds: generator.readQuoteIds() };
  await generator.prepare(task.prepare);
  return {};
}

await takeTasks(act);

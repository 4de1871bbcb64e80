import { randomBytes, randomUUID } from "node:crypto";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { hostBytes } from "@gold-partner/protocol";
import { assemble, type Config, createApp, createLog, createSealing, readConfig } from "../src/mod.ts";
import type { TestPostgres } from "@gold-partner/dev/postgres";
import { type TestBooks, testBooks } from "./books.ts";
import {
  createTestPartner,
  newTestKey,
  type PartnerTerms,
  signTestRequest,
  type TestKey,
  type TestPartner,
} from "./partner.ts";
import { testCertificate } from "./receiver.ts";
import { setUp } from "./set_up.ts";

/**
 * The parts of a request besides its path. A header with the value `null` is left out, even if it is sent by
 * default.
 */
export interface Sending {
  readonly method?: string;
  readonly body?: string | Uint8Array | ReadableStream<Uint8Array>;
  readonly headers?: Readonly<Record<string, string | null>>;
  readonly partner?: TestPartner;
  /** The request target on the wire, if it is not the path. */
  readonly target?: string;
}

/** The signed values, if they differ from the sent values. */
export interface Signing extends Omit<Sending, "body"> {
  readonly nonce?: string;
  readonly timestamp?: string;
  readonly url?: string;
  readonly signedBody?: string | Uint8Array;
  readonly key?: TestKey;
}

/**
 * The real app with its real parts and its own database. Requests go directly to the app, without a socket.
 */
export interface TestService {
  readonly books: TestBooks;
  readonly config: Config;
  readonly partner: TestPartner;
  /** Every line that the service logged. */
  readonly log: readonly string[];
  /** Sets how far the service's time is ahead of the database's, in milliseconds. */
  shiftClock(aheadMs: number): void;
  /** The service's time. */
  now(): number;
  addPartner(terms?: PartnerTerms): Promise<TestPartner>;
  /** Returns the metrics in Prometheus' text format. */
  metrics(): string;
  /** Makes admission read the changes in the database. */
  refresh(): Promise<void>;
  token(partner?: TestPartner): Promise<string>;
  /**
   * Sends a request as the proxy would forward it: with certificate hash, address, token and Idempotency-Key.
   * Default method: POST.
   */
  send(path: string, sending?: Sending): Promise<Response>;
  /** Sends a signed request. */
  signed(path: string, body: string | Uint8Array, signing?: Signing): Promise<Response>;
  stop(): Promise<void>;
}

export interface TestOptions {
  readonly environment?: "sandbox" | "production";
  readonly server?: TestPostgres;
  /** Also sends webhooks. The service always trusts the fixture receivers' CA. */
  readonly deliver?: boolean;
  /** The webhook URL of the first partner. */
  readonly webhook?: string;
  /**
   * Sets HA=on. The service then logs in as gold_api. By default it logs in as a superuser and sets that
   * role. The proof `npm run prove -- standby` must run with the rights of the login gold_api.
   */
  readonly standby?: boolean;
  /** Default: the base URL of the environment. */
  readonly baseUrl?: string;
  /** Sets DOCS_URL. */
  readonly docsUrl?: string | undefined;
  /** Returns the URL of a login of the service. Default: the books' URL with this login as its role. */
  readonly databaseUrl?: ((books: URL, login: string) => string) | undefined;
}

/**
 * The base URLs differ, because partners sign them: a request that is signed for one environment is refused
 * in the other.
 */
const BASE_URLS = { sandbox: "https://localhost:8443", production: "https://api.example" } as const;

/** Returns a service that all tests of a suite use. */
export const suiteService = (options: TestOptions = {}): TestService => setUp(() => testService(options));

export async function testService(
  {
    environment = "sandbox",
    server,
    deliver = false,
    webhook,
    standby = false,
    baseUrl = BASE_URLS[environment],
    docsUrl,
    databaseUrl,
  }: TestOptions = {},
): Promise<TestService> {
  const books = await testBooks(server);
  const folder = await mkdtemp(join(tmpdir(), "gold-test-"));
  const { keys, config } = await configure(
    books,
    folder,
    { environment, role: deliver ? "all" : "api", standby, baseUrl, docsUrl, databaseUrl },
  );
  const log: string[] = [];
  const assembly = await assemble(config, createLog((line) => log.push(line), () => new Date()));
  let aheadMs = 0;
  const now = () => assembly.deps.registry.now() + aheadMs;
  const app = createApp({ ...assembly.deps, registry: { ...assembly.deps.registry, now }, now });
  const refresh = async () => void await assembly.deps.registry.refresh();
  const addPartner = async (terms: PartnerTerms = {}) => {
    const partner = await createTestPartner(books.sql, keys, { environment, ...terms });
    await refresh();
    return partner;
  };
  const partner = await addPartner(webhook === undefined ? {} : { webhook });
  const tokens = new Map<string, { token: string; renewAtMs: number }>();

  const request = async (path: string, init: RequestInit, env?: object): Promise<Response> => {
    // If the snapshot is too old, read a new one: on a busy machine, the poll may not have run for 5 s. A test
    // that makes the read fail still gets the refusal.
    if (!assembly.deps.registry.isFresh()) await refresh().catch(() => {});
    return await app.request(config.publicBaseUrl + path, init, env);
  };
  const send: TestService["send"] = async (path, sending = {}) => {
    const { method = "POST", body, target, partner: sender = partner } = sending;
    const headers = new Headers(identity(sender));
    if (sending.headers?.Authorization === undefined) {
      headers.set("Authorization", `Bearer ${await fixture.token(sender)}`);
    }
    if (method === "POST") headers.set("Content-Type", "application/json");
    if (method === "POST") headers.set("Idempotency-Key", randomUUID());
    for (const [name, value] of Object.entries(sending.headers ?? {})) {
      if (value === null) headers.delete(name);
      else headers.set(name, value);
    }
    const init = { method, headers, ...(body === undefined ? {} : { body, duplex: "half" }) } as RequestInit;
    return await request(path, init, { incoming: { url: target ?? path } });
  };
  const fixture: TestService = {
    books,
    config,
    partner,
    log,
    shiftClock: (ms) => void (aheadMs = ms),
    now,
    addPartner,
    metrics: () => assembly.deps.metrics.text(),
    refresh,
    async token(sender = partner) {
      const known = tokens.get(sender.fingerprint);
      if (known && now() < known.renewAtMs) return known.token;
      const reply = await request("/oauth/token", {
        method: "POST",
        headers: { ...identity(sender), "Content-Type": "application/x-www-form-urlencoded" },
        body:
          `grant_type=client_credentials&client_id=${sender.clientId}&client_secret=${sender.clientSecret}`,
      });
      if (reply.status !== 200) throw new Error(`the token request failed: ${await reply.text()}`);
      const token = (await reply.json() as { access_token: string }).access_token;
      tokens.set(sender.fingerprint, { token, renewAtMs: now() + 500_000 });
      return token;
    },
    send,
    async signed(path, body, signing = {}) {
      const { signedBody = body, key = (signing.partner ?? partner).signingKey } = signing;
      const signature = await signTestRequest({
        method: signing.method ?? "POST",
        url: signing.url ?? config.publicBaseUrl + path,
        body: typeof signedBody === "string" ? hostBytes.utf8(signedBody) : signedBody,
        timestamp: signing.timestamp ?? `${Math.floor(now() / 1000)}`,
        nonce: signing.nonce ?? randomUUID(),
      }, key.signer);
      return await send(path, { ...signing, body, headers: { ...signature, ...signing.headers } });
    },
    async stop() {
      await assembly.stop();
      await books.stop();
      await rm(folder, { recursive: true, force: true });
    },
  };
  return fixture;
}

/** Returns the headers that the proxy would set: the certificate's hash and the client's address. */
const identity = ({ fingerprint }: TestPartner) => ({
  "X-Forwarded-Client-Cert": `Hash=${fingerprint}`,
  "X-Client-Ip": "127.0.0.1",
});

/**
 * Writes the keys to files and a token key to the database. Returns the keys and the matching configuration.
 */
async function configure(
  books: TestBooks,
  folder: string,
  { environment, role, standby, baseUrl, docsUrl = "", databaseUrl }:
    & Required<Pick<TestOptions, "environment" | "standby" | "baseUrl">>
    & Pick<TestOptions, "databaseUrl" | "docsUrl">
    & {
      readonly role: "all" | "api";
    },
) {
  const keys = { pepper: randomBytes(32), sealingKey: randomBytes(32) };
  const files = {
    pepper: join(folder, "pepper"),
    sealingKey: join(folder, "sealing_key"),
    webhookCa: join(folder, "webhook_ca.pem"),
  };
  await writeFile(files.pepper, keys.pepper.toString("hex"), { mode: 0o600 });
  await writeFile(files.sealingKey, keys.sealingKey.toString("hex"), { mode: 0o600 });
  await writeFile(files.webhookCa, testCertificate().ca);
  await books.sql`
    update gold.deployment set environment = ${environment}, public_base_url = ${baseUrl}`;
  await addTokenKey(books, keys.sealingKey);
  const urlOf = (login: "gold_api" | "gold_delivery" | "gold_ticker") => {
    const url = new URL(books.url);
    if (standby) url.username = login;
    else url.searchParams.set("role", login);
    return databaseUrl?.(new URL(books.url), login) ?? url.href;
  };
  const config = readConfig({
    DATABASE_URL: urlOf("gold_api"),
    DELIVERY_DATABASE_URL: urlOf("gold_delivery"),
    TICKER_DATABASE_URL: urlOf("gold_ticker"),
    GOLD_ENV: environment,
    PUBLIC_BASE_URL: baseUrl,
    DOCS_URL: docsUrl,
    LISTEN: `unix:${join(folder, "service.sock")}`,
    OPERATIONS_LISTEN: `unix:${join(folder, "operations.sock")}`,
    PEPPER_SOURCE: `file:${files.pepper}`,
    SEALING_KEY_SOURCE: `file:${files.sealingKey}`,
    WEBHOOK_CA: files.webhookCa,
    HA: standby ? "on" : "off",
    HEADS_FILE: "off",
    OPERATOR_KEYS: "off",
  }, role);
  return { keys, config };
}

async function addTokenKey({ sql }: TestBooks, sealingKey: Uint8Array): Promise<void> {
  const { privateJwk, publicJwk, thumbprint } = await newTestKey();
  const sealing = await createSealing([sealingKey]);
  await sql`
    select gold.add_token_key(${thumbprint}, ${sql.json({ ...publicJwk } as never)}::jsonb,
      ${await sealing.seal(
    JSON.stringify(privateJwk),
  )}::bytea, ${sealing.currentKeyName}, clock_timestamp() - interval '1 minute')`;
}

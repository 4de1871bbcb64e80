import { importSigningKey, keySigner, type Signer } from "@gold-partner/jws";
import { readThumbprints } from "./foreign_credential.ts";
import { GoldError } from "./gold_error.ts";
import type { GoldClientOptions, TryReport } from "./options.ts";
import { openTransport } from "./runtime_transport.ts";
import type { SignedExchange } from "./signed_exchange.ts";
import type { Transport } from "./transport.ts";

/** The options after validation, with defaults in place of missing ones. */
export interface Settings {
  readonly baseUrl: string;
  readonly clientId: string;
  readonly clientSecret: () => Promise<string>;
  readonly transport: Transport;
  readonly signer: Signer | undefined;
  readonly knownThumbprints: readonly string[];
  readonly timeoutMs: number;
  readonly patienceMs: number;
  readonly triesMax: number;
  readonly observe: ((report: TryReport) => void) | undefined;
  readonly onExchange: ((exchange: SignedExchange) => void) | undefined;
  readonly now: () => number;
  readonly random: () => number;
}

/**
 * The maximum of each numeric option. It is the longest delay of a timer in milliseconds: a timer with a
 * longer delay fires at once.
 */
const COUNT_MAX = 2 ** 31 - 1;

/** Validates the options. Throws one error that lists all mistakes. */
export async function readSettings(options: GoldClientOptions): Promise<Settings> {
  const mistakes: string[] = [];
  const attempt = async <T>(name: string, read: () => T | Promise<T>): Promise<T> => {
    try {
      return await read();
    } catch (cause) {
      mistakes.push(`${name}: ${cause instanceof Error ? cause.message : String(cause)}`);
      // Never used: a mistake makes readSettings() throw.
      return undefined as T;
    }
  };
  const { clientSecret, observe, onExchange, now = Date.now, random = Math.random } = options;
  const settings: Settings = {
    baseUrl: await attempt("baseUrl", () => readBaseUrl(options.baseUrl)),
    clientId: await attempt(
      "clientId",
      () => requireText(options.clientId, "the client_id that you were given"),
    ),
    clientSecret: typeof clientSecret === "function"
      ? clientSecret
      : await attempt("clientSecret", () =>
        keptSecret(requireText(clientSecret, "the secret that you were given"))),
    signer: await attempt("signingKey", () => readSigner(options)),
    timeoutMs: await attempt("timeoutMs", () => readCount(options.timeoutMs, 20_000)),
    patienceMs: await attempt("patienceMs", () => readCount(options.patienceMs, 60_000)),
    triesMax: await attempt("triesMax", () => readCount(options.triesMax, 8)),
    transport: options.transport ?? await attempt("cert, key, ca", () => openMutualTls(options)),
    knownThumbprints: [],
    ...{ observe, onExchange, now, random },
  };
  if (mistakes.length === 0) {
    // A transport of the caller's own does not use `cert`.
    const { transport, cert } = options;
    const used = { ...options, cert: transport === undefined ? cert : undefined };
    return { ...settings, knownThumbprints: await readThumbprints(used) };
  }
  throw new GoldError("configuration_invalid", `The client cannot be opened. ${mistakes.join(" ")}`);
}

const keptSecret = (secret: string) => () => Promise.resolve(secret);

function readBaseUrl(text: string): string {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url?.protocol === "https:" && url.href === `${url.origin}/`) return url.origin;
  throw new Error("It must be https:// and a host without a path, such as https://localhost:8443.");
}

function requireText(value: unknown, what: string): string {
  if (typeof value === "string" && value !== "") return value;
  throw new Error(`It is missing; give ${what}.`);
}

function readCount(value: number | undefined, defaultValue: number): number {
  if (value === undefined) return defaultValue;
  if (Number.isInteger(value) && value > 0 && value <= COUNT_MAX) return value;
  throw new Error(`It must be a whole number from 1 to ${COUNT_MAX}; got ${value}.`);
}

async function readSigner({ signingKey, sign, kid }: GoldClientOptions): Promise<Signer | undefined> {
  if (signingKey !== undefined && sign !== undefined) {
    throw new Error("Pass either `signingKey` or the callback `sign`, not both.");
  }
  if (sign !== undefined) return kid === undefined ? { sign } : { sign, kid };
  return signingKey === undefined ? undefined : keySigner(await importSigningKey(signingKey), kid);
}

function openMutualTls({ cert, key, ca }: GoldClientOptions): Transport {
  const certPem = requireText(cert, "the client certificate as PEM text in `cert`");
  const keyPem = requireText(key, "its private key as PEM text in `key`");
  try {
    return openTransport({ cert: certPem, key: keyPem, ca });
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause);
    throw new Error(
      `TLS rejects them (${reason}). Pass PEM texts, and the key that belongs to the certificate.`,
    );
  }
}

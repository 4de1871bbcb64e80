import { importSigningKey, keySigner, type Signer } from "@gold-partner/jws";
import { GoldError } from "./gold_error.ts";
import { openTransport } from "./runtime_transport.ts";
import type { Transport } from "./transport.ts";

/** How one try of a call went: for logs and metrics. It never holds a secret, a token or a body. */
export interface TryReport {
  /** The operation's name in the OpenAPI document, such as createOrder or issueToken. */
  readonly operation: string;
  /** 1 at the first try. */
  readonly tries: number;
  readonly ms: number;
  readonly status: number | undefined;
  /** The code of the try's error. Undefined when the try succeeded. */
  readonly code: string | undefined;
  readonly request_id: string | undefined;
  /** Milliseconds until the next try. Undefined when there is no next try. */
  readonly retryInMs: number | undefined;
}

/** The service's URL, the partner's credentials, and the limits on time and tries. */
export interface GoldClientOptions {
  /** The service's URL without a path, such as https://localhost:8443. Signatures cover it. */
  readonly baseUrl: string;
  readonly clientId: string;
  /** The secret, or a function that returns it. The function is called for each token request. */
  readonly clientSecret: string | (() => Promise<string>);
  /** PEM text of the client certificate, followed by its intermediate certificates if it has any. */
  readonly cert?: string | undefined;
  /** PEM text of the certificate's private key. */
  readonly key?: string | undefined;
  /**
   * PEM text of the CAs to trust. On Node they replace the CAs that the runtime trusts by default. On Deno
   * they are trusted in addition.
   */
  readonly ca?: string | undefined;
  /** The key that signs orders, withdrawals and probes: PEM (PKCS#8 or SEC1) or JWK, as text. */
  readonly signingKey?: string | undefined;
  /**
   * Signs in place of signingKey, for an HSM or a key service. Returns the ES256 signature of `data` as the
   * 64 bytes r ‖ s.
   */
  readonly sign?: ((data: Uint8Array) => Promise<Uint8Array>) | undefined;
  /** The id of the signing key, for the header of each signature. Pass it if you registered several keys. */
  readonly kid?: string | undefined;
  /** The limit for one try in milliseconds. Default: 20,000. */
  readonly timeoutMs?: number | undefined;
  /** The limit for a call with all its tries and pauses in milliseconds. Default: 60,000. */
  readonly patienceMs?: number | undefined;
  /** The most tries of a call. Default: 8. The client may add one try when the service refuses the token. */
  readonly triesMax?: number | undefined;
  /** Called after every try. */
  readonly observe?: ((report: TryReport) => void) | undefined;
  /** Replaces the runtime's own transport over mutual TLS. Then `cert` and `key` are not needed. */
  readonly transport?: Transport | undefined;
  /** This machine's time in Unix milliseconds; for tests. */
  readonly now?: (() => number) | undefined;
  /** Returns a random number from 0 to below 1, for the length of pauses; for tests. */
  readonly random?: (() => number) | undefined;
}

/** The options after validation, with defaults in place of missing ones. */
export interface Settings {
  readonly baseUrl: string;
  readonly clientId: string;
  readonly clientSecret: () => Promise<string>;
  readonly transport: Transport;
  readonly signer: Signer | undefined;
  readonly timeoutMs: number;
  readonly patienceMs: number;
  readonly triesMax: number;
  readonly observe: ((report: TryReport) => void) | undefined;
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
  const { clientSecret, observe, now = Date.now, random = Math.random } = options;
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
    ...{ observe, now, random },
  };
  if (mistakes.length === 0) return settings;
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

function readCount(value: number | undefined, otherwise: number): number {
  if (value === undefined) return otherwise;
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

import type { SignedExchange } from "./signed_exchange.ts";
import type { Transport } from "./transport.ts";

/** The result of one try of a call, for logs and metrics. It never has a secret, a token or a body. */
export interface TryReport {
  /** The operation's name in the OpenAPI document, such as createOrder or issueToken. */
  readonly operation: string;
  /** 1 at the first try. */
  readonly tries: number;
  readonly ms: number;
  readonly status: number | undefined;
  /** The code of the try's error, as the service sent it. Undefined when the try succeeded. */
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
  /**
   * Thumbprints of your other certificates and signing keys. The client's `knownThumbprints` includes them.
   */
  readonly knownThumbprints?: readonly string[] | undefined;
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
  /**
   * Called after every try of an order or a withdrawal. Store each exchange as one line of JSON. With these
   * lines, `gold-partner audit` proves that the books have your requests and their replies.
   */
  readonly onExchange?: ((exchange: SignedExchange) => void) | undefined;
  /** Replaces the runtime's own transport over mutual TLS. Then `cert` and `key` are not needed. */
  readonly transport?: Transport | undefined;
  /** This machine's time in Unix milliseconds; for tests. */
  readonly now?: (() => number) | undefined;
  /** Returns a random number from 0 to below 1, for the length of pauses; for tests. */
  readonly random?: (() => number) | undefined;
}

export interface CallOptions {
  /** Ends the call, its tries and its pauses. */
  readonly signal?: AbortSignal | undefined;
}

export interface WriteOptions extends CallOptions {
  /**
   * The write is executed once, however often you call it with this key. By default each call makes a random
   * key. If your program must be able to repeat the write after a crash, choose a key and store it before the
   * call.
   */
  readonly idempotencyKey?: string | undefined;
}

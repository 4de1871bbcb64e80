import type { OperationId, RequestId } from "@gold-partner/protocol";
import type { Context } from "hono";

/** The facts about a request that its reply needs. */
export interface Exchange {
  readonly requestId: RequestId;
  /** The URL of the published documentation. Default: the path at which the service serves its own copy. */
  readonly docsUrl?: string | undefined;
  /** The rate limit headers. Undefined until the request is counted; every later reply contains them. */
  rateFields?: Readonly<Record<string, string>>;
  /**
   * A failure that the partner simulates in the sandbox. The request is executed; only its reply is affected.
   */
  failure?: { readonly kind: string; readonly seconds: number | null };
}

/** The values that one request stores in its Hono context. */
export interface AppEnv {
  readonly Bindings: {
    readonly incoming?: {
      readonly url?: string;
      readonly socket?: { destroy(): unknown };
      /** How long the request waited for its turn, in milliseconds. */
      readonly waitedMs?: number;
      /** Frees the request's place before its reply has ended. */
      readonly leave?: () => void;
    };
  };
  readonly Variables: {
    exchange: Exchange;
    target: string;
    /** Undefined for an unknown path. */
    operation?: OperationId;
    clientId: string;
    code: string;
    /** Set as soon as a write has passed every step of admission. It then gets a log line in any case. */
    isAdmittedWrite?: true;
    /** The bytes of the body. Undefined until a step reads them. */
    body?: Promise<Uint8Array>;
  };
}
export type AppContext = Context<AppEnv>;
/** Answers the requests of one operation. */
export type Route = (c: AppContext) => Promise<Response>;

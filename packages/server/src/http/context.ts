import type { OperationId } from "@gold-partner/protocol";
import type { Context } from "hono";
import type { Exchange } from "./reply.ts";

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

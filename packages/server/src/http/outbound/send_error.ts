import type { EndpointFault } from "./destination.ts";

/** All reasons why an attempt can fail. `unexpected` means a bug in this program. */
export type AttemptError =
  | EndpointFault
  | "connect_failed"
  | "tls_failed"
  | "timeout"
  | "reset"
  | "answer_invalid"
  | "redirect"
  | "unexpected";

export class SendError extends Error {
  override readonly name: string = "SendError";
  readonly code: AttemptError;

  constructor(code: AttemptError) {
    super(code);
    this.code = code;
  }
}

import { GoldError } from "@gold-partner/client";
import { WebhookError } from "@gold-partner/protocol";

/**
 * Exit codes: 0 done, 1 refused or found a fault, 2 wrong usage or credentials, 3 the service does not
 * answer, or the output cannot be written.
 */
export const EXIT = { done: 0, refused: 1, usage: 2, dependency: 3 } as const;
export type ExitCode = (typeof EXIT)[keyof typeof EXIT];

/** The reason why a command failed. It is printed on standard error. */
export class Failure extends Error {
  override readonly name = "Failure";
  readonly exit: ExitCode;
  readonly code: string;
  /** Further members of the printed JSON. */
  readonly facts: Readonly<Record<string, string | undefined>>;

  constructor(exit: ExitCode, code: string, message: string, facts: Failure["facts"] = {}) {
    super(message);
    this.exit = exit;
    this.code = code;
    this.facts = facts;
  }
}

export const usage = (message: string): Failure => new Failure(EXIT.usage, "usage", message);

/** The client's codes for a mistake that the caller must correct. A retry would fail in the same way. */
const USAGE_CODES = new Set(["configuration_invalid", "argument_invalid", "signing_failed", "tls_failed"]);

/** The exit code for an error of the client. */
export function exitOf({ code, status }: GoldError): ExitCode {
  if (USAGE_CODES.has(code)) return EXIT.usage;
  return status === undefined || status >= 500 || code === "reply_invalid" ? EXIT.dependency : EXIT.refused;
}

/** Converts any error into a failure with an exit code. */
export function failureOf(error: unknown): Failure {
  if (error instanceof Failure) return error;
  const { message } = error as Error;
  if (error instanceof GoldError) {
    const { request_id, idempotencyKey: idempotency_key } = error;
    const fields = error.errors.map(({ detail, pointer, name }) =>
      // The service's message may repeat the detail of its only field.
      message.includes(detail) ? `(${pointer ?? name})` : `${pointer ?? name}: ${detail}`
    );
    const detail = [message, ...fields].join(" ");
    return new Failure(exitOf(error), error.code, detail, { request_id, idempotency_key });
  }
  if (error instanceof WebhookError) return usage(message);
  return new Failure(
    EXIT.dependency,
    "unexpected",
    `gold-partner failed with an unexpected error: ${message}`,
  );
}

import type { GoldError } from "@gold-partner/client";
import { TOKEN_PROBLEM_REGISTRY, type TokenProblemCode } from "@gold-partner/protocol";
import { EXIT, type ExitCode, exitOf } from "../failure.ts";

/** What a check found to be wrong, and what to do. */
export class Fault extends Error {
  readonly cure: string;
  readonly exit: ExitCode;

  constructor(detail: string, cure: string, exit: ExitCode = EXIT.refused) {
    super(detail);
    this.cure = cure;
    this.exit = exit;
  }
}

/** Converts an error of the client into a fault, with the cure of the error registry if the code is in it. */
export function faultOf(error: GoldError): Fault {
  const known = Object.hasOwn(TOKEN_PROBLEM_REGISTRY, error.code)
    ? TOKEN_PROBLEM_REGISTRY[error.code as TokenProblemCode]
    : undefined;
  const cure = known?.cure ?? "";
  // The service's usual detail ends with the cure, which the report shows after the detail.
  const end = error.detail.length - (error.detail.endsWith(cure) ? cure.length : 0);
  const request = error.request_id === undefined ? "" : ` (${error.request_id})`;
  return new Fault(`${error.code}: ${error.detail.slice(0, end).trimEnd()}${request}`, cure, exitOf(error));
}

import type { FieldError, ProblemCode, TokenProblemCode } from "@gold-partner/protocol";

/**
 * Thrown by a step to refuse a request. The app turns it into a problem reply. Business refusals are results
 * of booking and are not thrown.
 */
export class Refusal<Code extends TokenProblemCode = ProblemCode> extends Error {
  override readonly name: string = "Refusal";
  readonly code: Code;
  readonly detail: string | undefined;
  readonly errors: readonly FieldError[];

  constructor(code: Code, detail?: string, errors: readonly FieldError[] = []) {
    super(detail ?? code);
    this.code = code;
    this.detail = detail;
    this.errors = errors;
  }
}

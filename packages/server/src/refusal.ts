import type { FieldError, ProblemCode, TokenProblemCode } from "@gold-partner/protocol";

/** A room's no: becomes a problem reply at the edge. Business refusals are results of booking, not refusals. */
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

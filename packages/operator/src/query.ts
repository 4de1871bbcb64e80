import type { ParameterOrFragment, Row } from "postgres";

/** Runs one statement. */
export type Query = (
  text: TemplateStringsArray,
  ...parameters: ParameterOrFragment<never>[]
) => Promise<Row[]>;

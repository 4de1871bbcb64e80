import type { ParameterOrFragment, Row } from "postgres";

/** Runs one statement on an idle connection. A `Sql` of postgres.js is a Query, too. */
export interface Query {
  <Rows extends readonly object[] = Row[]>(
    statement: TemplateStringsArray,
    ...values: readonly ParameterOrFragment<never>[]
  ): Promise<Rows>;
}

/**
 * A fixed number of connections. It has no `begin` and no `listen`, because these need one connection for
 * several statements.
 */
export interface Pool extends Query {
  /** Ends all connections. Statements that run longer than `timeout` seconds are cut off. */
  end(options?: EndOptions): Promise<void>;
}

export interface EndOptions {
  readonly timeout: number;
}

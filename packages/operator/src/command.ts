import type { ParseArgsConfig } from "node:util";
import type { ParameterOrFragment, Row as SqlRow } from "postgres";
import type { Db } from "./database.ts";

export type Cell = string | number | boolean | null;
export type Row = Readonly<Record<string, Cell | readonly Cell[]>>;

/** What a command found or did: one object or a list, and for people a title. */
export interface Result {
  readonly title?: string;
  readonly object?: Row;
  readonly items?: readonly Row[];
  /** Further lists, by their names. */
  readonly lists?: Readonly<Record<string, readonly Row[]>>;
  /** Verification found these: the command ends with 4. */
  readonly defects?: boolean;
  /** What a person should look at once more: a line on standard error. A program that asked for JSON reads nothing beside it. */
  readonly notice?: string | undefined;
}

type Options = NonNullable<ParseArgsConfig["options"]>;
export type Values = Readonly<Record<string, string | boolean | (string | boolean)[] | undefined>>;

type Query = (
  text: TemplateStringsArray,
  ...parameters: ParameterOrFragment<never>[]
) => Promise<SqlRow[]>;

export interface Invocation {
  readonly values: Values;
  readonly positionals: readonly string[];
  /** Connects at the first call. */
  readonly db: () => Promise<Db>;
  /** One statement, on the same connection. */
  readonly query: Query;
  /** DATABASE_URL, or the database of a running `npm start`. */
  readonly databaseUrl: () => Promise<string>;
  /** SECOND_DATABASE_URL, or the second login of a running `npm start`. */
  readonly secondDatabaseUrl: () => Promise<string>;
  /** The login that migrates: MIGRATION_DATABASE_URL, or that of the database above. */
  readonly migrationUrl: () => Promise<string>;
  /** The folder of the `npm start` that is meant where DATABASE_URL is not set. */
  readonly stateDir: string;
  /** A file as the person means it: relative to where the person stands. */
  readonly path: (file: string) => string;
  /** For a question that only the run can word; asks as `asks` does. */
  readonly confirm: (question: string) => Promise<void>;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly now: () => Date;
  readonly random: (length: number) => Uint8Array;
}

export interface Command {
  /** As it is typed, as in `partner create`. */
  readonly words: string;
  readonly usage: string;
  readonly does: string;
  readonly options?: Options;
  /** Names of the arguments after the words. */
  readonly takes?: readonly string[];
  /** What cannot be undone asks first. */
  readonly asks?: (positionals: readonly string[]) => string;
  readonly run: (invocation: Invocation) => Promise<Result>;
}

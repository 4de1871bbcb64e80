import type { GoldClient, GoldClientManner } from "@gold-partner/client";
import type { Screen } from "@gold-partner/command-line";
import type { ParseArgsConfig } from "node:util";
import type { Credentials } from "./credentials.ts";
import type { ExitCode } from "./failure.ts";

export type Cell = string | number | boolean | null;
export type Row = Readonly<Record<string, Cell>>;

/** What one check of `doctor`, `check-receiver` or `audit` found. */
export interface Finding {
  readonly check: string;
  readonly result: "ok" | "failed" | "skipped";
  readonly detail: string;
  /** What to do about it. */
  readonly cure?: string | undefined;
  /** Further members of the finding with --json. */
  readonly facts?: Row;
  /** The exit code of the command if this is the first finding that failed. Default: 1. */
  readonly exit?: ExitCode;
}

/** The outcome of a command. */
export type Result =
  /** `reply` is what --json prints. `rows` is the list that people see; without it they see the reply. */
  | { readonly reply: object; readonly rows?: readonly Row[] }
  /** Text that is printed as it is, with and without --json. */
  | { readonly text: string }
  /** Printed one by one as they arrive, each on a line. With --json each line is a JSON object. */
  | { readonly lines: AsyncIterable<Row> }
  /** Printed one by one as they arrive. With --json they are one object with the list `items`. */
  | { readonly findings: AsyncIterable<Finding> };

/** Everything outside the process that the commands use. */
export interface Terminal {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly out: (text: string) => void;
  readonly err: (text: string) => void;
  /** The terminal that `out` writes to, if it is one. */
  readonly screen?: Screen | undefined;
  /** The terminal that `err` writes to, if it is one. */
  readonly errorScreen?: Screen | undefined;
  /** This machine's time in Unix milliseconds. */
  readonly now: () => number;
  /** Returns a signal that aborts when the person ends the command, by Ctrl-C or SIGTERM. */
  readonly untilStopped: () => AbortSignal;
}

export interface Invocation extends Terminal {
  /** An option that may be given several times has a list. */
  readonly values: Readonly<Record<string, string | boolean | readonly string[] | undefined>>;
  readonly positionals: readonly string[];
  /** Reads the credentials file. Throws if it cannot be used. */
  readonly credentials: () => Promise<Credentials>;
  /** Opens a client with the credentials file. It is closed when the command ends. */
  readonly client: (manner?: GoldClientManner) => Promise<GoldClient>;
  /** Resolves a file name relative to the folder in which the person called the command. */
  readonly path: (file: string) => string;
}

/** A term, such as an option, and its meaning. */
export type Term = readonly [term: string, meaning: string];

export interface Command {
  readonly name: string;
  /** The arguments and options, as help shows them. */
  readonly usage: string;
  readonly does: string;
  /** More text for `gold-partner COMMAND --help`. */
  readonly help?: string;
  /** Lists of the same help, such as the options, by their titles. */
  readonly terms?: Readonly<Record<string, readonly Term[]>>;
  readonly options?: NonNullable<ParseArgsConfig["options"]>;
  /** Names of the arguments. */
  readonly takes?: readonly string[];
  readonly run: (invocation: Invocation) => Promise<Result>;
}

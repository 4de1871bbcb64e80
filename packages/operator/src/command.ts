import type { ParseArgsConfig } from "node:util";
import type { Db } from "./database.ts";
import type { KeyFile } from "./key_file.ts";
import type { Query } from "./query.ts";
import type { SignText } from "./ssh_key.ts";
import type { TradeDay } from "./views/trade_day.ts";

export type Cell = string | number | boolean | null;
export type Row = Readonly<Record<string, Cell | readonly Cell[]>>;

/** The outcome of a command: objects, lists, and a title for people. */
export interface Result {
  readonly title?: string;
  readonly object?: Row;
  readonly items?: readonly Row[];
  /** Further items, page by page, for JSON and CSV output only. Together, they may not fit into memory. */
  readonly rest?: AsyncGenerator<readonly Row[]>;
  /** Further objects, by name. */
  readonly parts?: Readonly<Record<string, Row>>;
  /** Further lists, by name. */
  readonly lists?: Readonly<Record<string, readonly Row[]>>;
  /** Verification found defects, so the command exits with 4. */
  readonly defects?: boolean;
  /** A hint for a person, printed on standard error. It is not printed with --json. */
  readonly notice?: string | undefined;
}

type Options = NonNullable<ParseArgsConfig["options"]>;
export type Values = Readonly<Record<string, string | boolean | (string | boolean)[] | undefined>>;

export interface Invocation extends Dialog {
  readonly values: Values;
  readonly positionals: readonly string[];
  /** Connects on the first call. */
  readonly db: () => Promise<Db>;
  /** Runs one statement on the connection of `db`. */
  readonly query: Query;
  /**
   * Runs one read on a connection that cannot write, with a short time limit: to READ_DATABASE_URL, which may
   * be a standby, else to the database of `db`.
   */
  readonly read: Query;
  /** What `read` has read of the day's trades so far. */
  readonly trades: TradeDay;
  /** DATABASE_URL, or the database URL of a running `npm start`. */
  readonly databaseUrl: () => Promise<string>;
  /**
   * The login of a second operator, for actions that need two people: SECOND_DATABASE_URL, or the second
   * login of a running `npm start`.
   */
  readonly secondDatabaseUrl: () => Promise<string>;
  /**
   * The URL of the migration login: MIGRATION_DATABASE_URL, else
   * DATABASE_URL, else the migration login of a running `npm start`.
   */
  readonly migrationUrl: () => Promise<string>;
  /** Finds the person's SSH key, and returns what signs with it. */
  readonly signer: () => Promise<SignText>;
  /** Says where each key is: the file of GOLD_KEYS, or that of a running `npm start`. */
  readonly keys: KeyFile;
  /** The state folder of the `npm start` to use if DATABASE_URL is not set. */
  readonly stateDir: string;
  /** The options that say whose command this is: --state, --as and --profile. Another command repeats them. */
  readonly ownOptions: readonly string[];
  /** Resolves a file name relative to the folder in which the person called `gold`. */
  readonly path: (file: string) => string;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly now: () => Date;
  readonly random: (length: number) => Uint8Array;
  /** Gives up the connections. The next use connects again. */
  readonly reconnect: () => void;
  /** Ends a command that otherwise goes on. Undefined if only the end of the process ends it. */
  readonly ending?: AbortSignal | undefined;
  /** Runs another command for the same person, in another dialog. Throws only failures. */
  readonly again: (argv: readonly string[], dialog: Dialog) => Promise<Result>;
}

/** How a command talks with the person who waits for it. */
export interface Dialog {
  /**
   * Asks a yes-or-no question. --yes skips it, and a "no" ends the command. Without a terminal, the command
   * needs --yes, unless the question is `onTerminalOnly`.
   */
  readonly confirm: (question: string, onTerminalOnly?: boolean) => Promise<void>;
  /** Asks for a text. Undefined with --yes, and if there is no terminal. */
  readonly askText: ((question: string) => Promise<string>) | undefined;
  /** Prints one line about the work in progress on standard error. */
  readonly progress: (text: string) => void;
  /** Prints a result before the end of the command, as the command's own result is printed. */
  readonly print: (result: Result) => void;
  /** Prints a result on standard error, before a question about it. */
  readonly show: (result: Result) => void;
  /** Whether ssh-keygen may ask for a passphrase on the terminal of this process, if it has one. */
  readonly mayUseTerminal: boolean;
  /** Calls `act` while another program may use the terminal. */
  readonly aside: <T>(act: () => Promise<T>) => Promise<T>;
}

export interface Command {
  /** The words of the command as typed, such as `partner create`. */
  readonly words: string;
  readonly usage: string;
  readonly does: string;
  readonly options?: Options;
  /** Names of the arguments after the words. One in brackets may be left out, and `…` repeats it. */
  readonly takes?: readonly string[];
  readonly run: (invocation: Invocation) => Promise<Result>;
}

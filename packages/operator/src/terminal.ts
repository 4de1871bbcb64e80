import type { Screen } from "@gold-partner/command-line";

/** Everything outside the process that the command line uses. */
export interface Terminal {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly out: (text: string) => void;
  readonly err: (text: string) => void;
  /** The terminal that standard output goes to, if it is one. */
  readonly screen?: Screen | undefined;
  /** The terminal that standard error goes to, if it is one. */
  readonly errorScreen?: Screen | undefined;
  /** Writes to the line of the cursor of a terminal, for a person who waits. Undefined without one. */
  readonly status?: ((text: string) => void) | undefined;
  /** Asks a yes-or-no question. Undefined if there is nobody to ask. */
  readonly ask?: (question: string) => Promise<boolean>;
  /** Asks for a text. Undefined if there is nobody to ask. */
  readonly askText?: (question: string) => Promise<string>;
  /** Ends a command that otherwise goes on. */
  readonly ending?: AbortSignal | undefined;
  readonly now: () => Date;
  readonly random: (length: number) => Uint8Array;
}

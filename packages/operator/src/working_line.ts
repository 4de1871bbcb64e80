import type { Terminal } from "./terminal.ts";

const FIRST_MS = 2_000;
const CLEAR_LINE = "\r\u001b[K";

/** A terminal whose last line says that the command is working. */
export interface WorkingTerminal extends Terminal {
  /** Runs work that writes to the terminal itself, such as ssh-keygen's question for a passphrase. */
  readonly aside: <T>(work: () => Promise<T>) => Promise<T>;
  readonly end: () => void;
}

/**
 * Shows a line with the seconds while a command works for longer than two seconds. The line goes away before
 * other output and while the person is asked. `write` is undefined if nobody would see the line.
 */
export function withWorkingLine(
  terminal: Terminal,
  write: ((text: string) => void) | undefined,
): WorkingTerminal {
  const startMs = performance.now();
  let [isPaused, isShown] = [false, false];
  const clear = () => {
    if (isShown) write?.(CLEAR_LINE);
    isShown = false;
  };
  const timer = write && setInterval(() => {
    const ms = performance.now() - startMs;
    if (isPaused || ms < FIRST_MS) return;
    isShown = true;
    write(`${CLEAR_LINE}working for ${Math.floor(ms / 1000)} s …`);
  }, FIRST_MS / 2);
  const aside = async <T>(work: () => Promise<T>): Promise<T> => {
    clear();
    isPaused = true;
    return await work().finally(() => isPaused = false);
  };
  const { ask, askText } = terminal;
  return {
    ...terminal,
    aside,
    end() {
      clearInterval(timer);
      clear();
    },
    out: (text) => (clear(), terminal.out(text)),
    err: (text) => (clear(), terminal.err(text)),
    ...(ask ? { ask: (question) => aside(() => ask(question)) } : {}),
    ...(askText ? { askText: (question) => aside(() => askText(question)) } : {}),
  };
}

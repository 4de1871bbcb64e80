interface LineWriter {
  write(line: string): void;
  /** Writes the lines that are still held. Call it before the process ends. */
  flush(): void;
}

/**
 * The most characters of one write. A longer line is written alone, with one write. On Linux a write of up to
 * 4,096 bytes to a pipe is atomic, so processes that share a pipe do not mix lines. Characters and bytes are
 * the same only for ASCII text.
 */
const WHOLE_CHARACTERS = 4096;

/**
 * Writes the lines of one turn of the event loop with one system call, which costs less than one call for
 * each line. The orders of a batch end in the same turn.
 */
export function openLineWriter(write: (text: string) => void): LineWriter {
  let held = "";
  const flush = () => {
    if (held === "") return;
    const text = held;
    held = "";
    write(text);
  };
  return {
    write(line) {
      if (held.length + line.length >= WHOLE_CHARACTERS) flush();
      if (held === "") setImmediate(flush);
      held += `${line}\n`;
    },
    flush,
  };
}

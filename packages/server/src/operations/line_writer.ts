interface LineWriter {
  write(line: string): void;
  /** Writes the lines that are still held. Call it before the process ends. */
  flush(): void;
}

/**
 * On Linux a write of up to 4,096 bytes to a pipe is atomic, so processes that share a pipe do not mix lines.
 * This limit counts characters, so it is exact only for ASCII text.
 */
const WHOLE_CHARACTERS = 4096;

/**
 * Writes the lines of one turn of the event loop together. The orders of a batch end in the same turn, and
 * one system call for all their lines costs less than one for each line.
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

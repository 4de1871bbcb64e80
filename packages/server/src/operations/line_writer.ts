interface LineWriter {
  write(line: string): void;
  /** Writes what it still holds, before the process ends. */
  flush(): void;
}

/** Processes that share a pipe do not cut into each other's writes up to this size. */
const WHOLE_CHARACTERS = 4096;

/** Lines of one turn of the event loop go out together: a batch of orders ends in one, and a system call costs more than a line. */
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

/** The parts of a line of the hash chain, as docs/chain.md describes it. */
interface LineParts {
  readonly version: string;
  /** The members from the client number on, without the end of version 2. */
  readonly fields: readonly string[];
  readonly answer: string | undefined;
  readonly salt: string | undefined;
}

export function partsOf(line = ""): LineParts {
  const [version = "", ...fields] = line.split("|");
  const [answer, salt] = version === "2" ? fields.splice(-2) : [];
  return { version, fields, answer, salt };
}

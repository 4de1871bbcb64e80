const WIDTH = 110;
const STEP = "  ";

/**
 * Writes generated JSON in few lines: a value that fits stands on one line, and the texts and numbers of a
 * longer object share lines.
 */
export const compactJson = (value: unknown): string => `${write(value, "", 0)}\n`;

/** `before` columns of the line are taken, by the name of the member for example. */
function write(value: unknown, indent: string, before: number): string {
  const short = inline(value);
  if (indent.length + before + short.length + 1 <= WIDTH || typeof value !== "object" || value === null) {
    return short;
  }
  const isArray = Array.isArray(value);
  const items = isArray ? value.map((item) => ["", item] as const) : membersOf(value);
  const inner = indent + STEP;
  const lines = [isArray ? "[" : "{"];
  // Scalars continue the line of the brace and of other scalars.
  let isOpen = !isArray;
  for (const [at, [name, item]] of items.entries()) {
    const isScalar = typeof item !== "object" || item === null;
    const text = `${name}${write(item, inner, name.length)}${at < items.length - 1 ? "," : ""}`;
    const last = lines.at(-1)!;
    const length = last.length + (lines.length === 1 ? indent.length + before : 0);
    if (isOpen && isScalar && length + 1 + text.length <= WIDTH) lines[lines.length - 1] = `${last} ${text}`;
    else lines.push(inner + text);
    isOpen = isScalar;
  }
  const end = isOpen && !isArray && lines.at(-1)!.length + 3 <= WIDTH
    ? " }"
    : `\n${indent}${isArray ? "]" : "}"}`;
  return lines.join("\n") + end;
}

function inline(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(inline).join(", ")}]`;
  if (typeof value !== "object" || value === null) return JSON.stringify(value);
  const members = membersOf(value).map(([name, item]) => name + inline(item));
  return members.length === 0 ? "{}" : `{ ${members.join(", ")} }`;
}

const membersOf = (value: object): readonly (readonly [string, unknown])[] =>
  Object.entries(value).filter(([, item]) => item !== undefined).map((
    [name, item],
  ) => [`${JSON.stringify(name)}: `, item]);

import { parseArgs, type ParseArgsConfig } from "node:util";

/** The options of a command, as parseArgs() of node:util takes them. */
export type OptionTable = NonNullable<ParseArgsConfig["options"]>;

type Parsed<Table extends OptionTable> = ReturnType<
  typeof parseArgs<{ options: Table; allowPositionals: true }>
>;

/**
 * Reads the arguments of a command. Throws an error with one sentence that names the wrong option and says what
 * to write. The texts of parseArgs() itself have several lines and unbalanced quotes.
 */
export function parseOptions<Table extends OptionTable>(
  args: readonly string[],
  options: Table,
): Parsed<Table> {
  const table: OptionTable = options;
  const config = {
    args: [...args],
    options: table,
    allowPositionals: true,
    strict: false,
    tokens: true,
  } as const;
  const { values, positionals, tokens } = parseArgs(config);
  const given = new Set<string>();
  for (const token of tokens) {
    if (token.kind !== "option") continue;
    const { name, rawName, value, inlineValue } = token;
    const option = Object.hasOwn(table, name) ? table[name] : undefined;
    if (!option) throw new Error(`There is no option ${rawName}.`);
    if (given.has(name) && !option.multiple) throw new Error(`--${name} is given twice. Give it once.`);
    given.add(name);
    if (option.type === "boolean") {
      if (value !== undefined) throw new Error(`${rawName} takes no value; got ${value}.`);
    } else if (value === undefined) {
      throw new Error(`${rawName} needs a value.`);
    } else if (!inlineValue && /^-./s.test(value)) {
      // It may be the next option, after a value that was forgotten.
      throw new Error(`${rawName} needs a value. If ${value} is the value, write ${rawName}=${value}.`);
    }
  }
  return { values, positionals } as Parsed<Table>;
}

type Variables = Readonly<Record<string, string | undefined>>;

/** Shorter names resemble too many other variables. */
const LENGTH_MIN = 4;
/** From this length on, a misspelt name may have two wrong letters. */
const LONG = 8;
/** Terminals set these, and they resemble settings. */
const OTHERS: readonly string[] = ["LINES"];

/**
 * A sentence for each variable whose name resembles a setting that is not set. A missing, wrong, additional or swapped
 * letter counts as one difference, and lower case as none.
 */
export function misspeltSettings(settings: readonly string[], variables: Variables): readonly string[] {
  const unset = settings.filter((name) => variables[name] === undefined && name.length >= LENGTH_MIN);
  // Deno lists the environment in no fixed order.
  return Object.keys(variables).sort().flatMap((variable) => {
    if (settings.includes(variable) || OTHERS.includes(variable)) return [];
    const setting = unset.find((name) =>
      differences(variable.toUpperCase(), name) <= (name.length < LONG ? 1 : 2)
    );
    return setting === undefined
      ? []
      : [`${variable} is not a setting and has no effect. Did you mean ${setting}?`];
  });
}

/** The number of letters in which two names differ: the restricted Damerau-Levenshtein distance. */
function differences(one: string, other: string): number {
  const rows = [Array.from({ length: other.length + 1 }, (_, column) => column)];
  for (let row = 1; row <= one.length; row++) {
    const counts = [row];
    for (let column = 1; column <= other.length; column++) {
      const isEqual = one[row - 1] === other[column - 1];
      const isSwapped = row > 1 && column > 1 && one[row - 1] === other[column - 2] &&
        one[row - 2] === other[column - 1];
      counts.push(Math.min(
        rows[row - 1]![column]! + 1,
        counts[column - 1]! + 1,
        rows[row - 1]![column - 1]! + (isEqual ? 0 : 1),
        isSwapped ? rows[row - 2]![column - 2]! + 1 : Infinity,
      ));
    }
    rows.push(counts);
  }
  return rows[one.length]![other.length]!;
}

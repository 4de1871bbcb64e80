/** The candidate that is most like what was typed, if any is close: at most one difference in three letters. */
export function similar(typed: string, candidates: readonly string[]): string | undefined {
  const [best] = candidates
    .map((name) => ({ name, changes: differences(typed, name) }))
    .sort((a, b) => a.changes - b.changes);
  return best && best.changes <= Math.max(1, Math.floor(typed.length / 3)) ? best.name : undefined;
}

/** The number of letters in which two names differ: the restricted Damerau-Levenshtein distance. */
export function differences(one: string, other: string): number {
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

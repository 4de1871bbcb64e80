/** Writes a Markdown table with the same padding as the formatter. */
export function writeTable(
  ...[head, rows]: readonly [readonly string[], readonly (readonly string[])[]]
): string {
  const widths = head.map((_, column) => Math.max(...[head, ...rows].map((row) => row[column]!.length)));
  const line = (cells: readonly string[]) =>
    `| ${cells.map((cell, column) => cell.padEnd(widths[column]!)).join(" | ")} |\n`;
  return [head, widths.map((width) => "-".repeat(width)), ...rows].map(line).join("");
}

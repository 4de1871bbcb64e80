const UNITS = [["day", 86_400], ["hour", 3600], ["minute", 60], ["second", 1]] as const;

const count = (number: number, unit: string) => `${number} ${unit}${number === 1 ? "" : "s"}`;

/** Writes a duration in words: the largest unit and the next one, such as "16 minutes 40 seconds". */
export function durationText(ms: number): string {
  let rest = Math.round(ms / 1000);
  const parts = UNITS.map(([unit, seconds]) => {
    const number = Math.floor(rest / seconds);
    rest -= number * seconds;
    return { number, text: count(number, unit) };
  });
  const first = parts.findIndex(({ number }) => number > 0);
  if (first < 0) return "0 seconds";
  return parts.slice(first, first + 2).filter(({ number }) => number > 0).map(({ text }) => text).join(" ");
}

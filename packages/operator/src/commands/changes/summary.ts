import { hasIsolates, isolate } from "@gold-partner/command-line";
import { formatHalalas, formatPrice } from "@gold-partner/protocol";

type Content = Readonly<Record<string, unknown>>;

/** States in a few words what a proposal is about. Empty if its content says nothing short, or may not be read. */
export function summaryOf(content: Content | null): string {
  const { amount, mid, payments, name, login, serial, client_id, day } = content ?? {};
  const list = payments as readonly { readonly amount: string }[] | undefined;
  const sum = list?.reduce((total, one) => total + BigInt(one.amount), 0n);
  return [
    ...(typeof amount === "string" ? [`${formatHalalas(BigInt(amount))} SAR`] : []),
    ...(typeof mid === "string" ? [`${formatPrice(BigInt(mid))} SAR/g`] : []),
    ...(sum === undefined ? [] : [`${list!.length} payment(s), ${formatHalalas(sum)} SAR`]),
    ...[name ?? login ?? serial ?? client_id ?? day].filter((one) => typeof one === "string").map(isolate),
  ].join(" ");
}

/** Writes lists and objects in words: `name Bank, amount 5; name Shop, amount 7`. */
export function wordsOf(value: unknown): string {
  if (value === null || value === undefined) return "none";
  if (typeof value !== "object") return `${value}`;
  if (Array.isArray(value)) return value.length === 0 ? "none" : value.map(partOf).join("; ");
  const { always_open, sessions } = value as { readonly always_open?: boolean; readonly sessions?: unknown };
  if (always_open === true) return "always open";
  if (always_open === false) {
    return `open ${Array.isArray(sessions) && sessions.length > 0 ? wordsOf(sessions) : "never"}`;
  }
  return Object.entries(value).map(([name, one]) => `${name} ${partOf(one)}`).join(", ");
}

/** A text within a list. */
const partOf = (value: unknown): string =>
  typeof value !== "string" ? wordsOf(value) : hasIsolates(value) ? value : isolate(value);

const UNITS: readonly (readonly [RegExp, string])[] = [
  [/^(?:amount|daily_withdrawn)$/, "SAR"],
  [/^mid$/, "SAR/g"],
  [/grams$|^(?:gross|exposure)$/, "g"],
  [/basis_points$/, "basis points"],
  [/seconds$/, "s"],
];

/** The unit of a member of a proposal; null if it has none, or if its name says it. */
export const unitOf = (name: string): string | null => UNITS.find(([form]) => form.test(name))?.[1] ?? null;

const NUMBER = /^-?[0-9]+(?:\.[0-9]+)?$/;

/** By how many percent a number changes. Null if a value is no number, or nothing changes. */
export function percentOf(before: string | null, after: string | null): string | null {
  if (before === null || after === null || !NUMBER.test(before) || !NUMBER.test(after)) return null;
  const [from, to] = [Number(before), Number(after)];
  if (from === 0 || from === to) return null;
  return `${to > from ? "+" : ""}${Math.round((to - from) / from * 10_000) / 100} %`;
}

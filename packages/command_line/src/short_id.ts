/** The end of a UUID is random, its beginning is the time. */
const SHOWN_DIGITS = 8;
const ID = /^((?:[a-z]{2,4}_)?)[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-([0-9a-f]{12})$/;
const DIGEST = /^[0-9a-f]{64}$/;
const CLIENT = /^((?:sbx|live)_)[a-z0-9]{14}([a-z0-9]{6})$/;

/** Shortens an id to its prefix and its last digits, and a digest to its first ones. Other text stays. */
export function shortId(text: string): string {
  const [, prefix, end] = ID.exec(text) ?? [];
  if (end !== undefined) return `${prefix}…${end.slice(-SHOWN_DIGITS)}`;
  const [, kind, rest] = CLIENT.exec(text) ?? [];
  if (rest !== undefined) return `${kind}…${rest}`;
  return DIGEST.test(text) ? `${text.slice(0, 12)}…` : text;
}

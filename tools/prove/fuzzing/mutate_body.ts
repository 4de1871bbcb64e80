import { Buffer } from "node:buffer";
import type { Random } from "../../testing/random.ts";

type Mutation = (text: string, random: Random) => string | Uint8Array;

const SPELLINGS = [
  ..."0 -0 -1 +1 01 1. .5 1.50 15e-1 1E0 1e+2 1e400 1e-400 0x1F 1_000 1,5 NaN Infinity -Infinity".split(" "),
  ..."0.00001 1.00000000000000001 99999999999999999999 1.5.0 --1 1e 1e1.5 ١ １".split(" "),
];
const VALUES = [
  "null",
  "true",
  "[]",
  "{}",
  '""',
  '"1"',
  "[1]",
  '{"a":1}',
  '"buy"',
  '"sell"',
  '"BUY"',
  '"buy "',
  "buy",
];
const MEMBERS = [
  '"x":1',
  '"side":"sell"',
  '"gold_grams":2',
  '"amount_sar":2',
  '"quote_id":"qt_"',
  '"__proto__":{}',
  '"":0',
];
const TRICKS = [
  ..."\ufeff \u0000 \u200b \u2028 \u00a0 \u202e \u0430 \ud83e\ude99 \u007f".split(" "),
  ..."\\ud800 \\udc00\\ud800 \\u0000 \\u0022 \\x41 \\q \\u12 // /**/ ' ` #".split(" "),
];
const BLANKS = [" ", "\n", "\r\n", "\t", "\v", "\f"];
const DEPTH_MAX = 60;
const SIZES = [65_000, 65_535, 65_536, 65_537, 80_000];

const pick = <T>(from: readonly T[], random: Random): T => from[random(from.length)]!;
const cut = (text: string, random: Random): [string, string] => {
  const at = random(text.length + 1);
  return [text.slice(0, at), text.slice(at)];
};
const insert = (text: string, piece: string, random: Random): string => cut(text, random).join(piece);
/** Replaces one random match of the pattern, or appends the piece if nothing matches. */
function replaceOne(text: string, pattern: RegExp, piece: string, random: Random): string {
  const found = [...text.matchAll(pattern)];
  if (found.length === 0) return text + piece;
  const match = pick(found, random);
  return text.slice(0, match.index) + piece + text.slice(match.index + match[0].length);
}

function changeBytes(text: string, change: (bytes: Buffer) => void): Uint8Array {
  const bytes = Buffer.from(text);
  change(bytes);
  return bytes;
}

const MUTATIONS: readonly Mutation[] = [
  (text, random) => changeBytes(text, (bytes) => bytes[random(bytes.length)]! ^= 1 << random(8)),
  (text, random) => changeBytes(text, (bytes) => bytes[random(bytes.length)] = random(256)),
  (text, random) => cut(text, random)[0],
  (text, random) => cut(text, random)[1],
  (text, random) => insert(text, String.fromCharCode(random(128)), random),
  (text, random) => insert(text, pick(TRICKS, random), random),
  (text, random) => insert(text, pick(BLANKS, random), random),
  (text, random) => insert(text, text, random),
  (text, random) => replaceOne(text, /./gsu, "", random),
  (text, random) => replaceOne(text, /-?\d+(?:\.\d+)?(?![\w"-])/g, pick(SPELLINGS, random), random),
  (text, random) => replaceOne(text, /:("[^"]*"|[\d.]+)/g, `:${pick(VALUES, random)}`, random),
  (text, random) => replaceOne(text, /[{,]/g, `{${pick(MEMBERS, random)},`, random),
  (text, random) => replaceOne(text, /,|(?<=[{])/g, `,${pick(MEMBERS, random)},`, random),
  (text, random) => replaceOne(text, /}/g, `,${pick(MEMBERS, random)}}`, random),
  (text, random) => {
    const letter = pick([...text.matchAll(/[a-z]/g)], random);
    return replaceOne(text, new RegExp(letter[0], "g"), letter[0].toUpperCase(), random);
  },
  // Escapes one letter. Inside a string, the result is another spelling of the same text.
  (text, random) => {
    const { index, 0: letter } = pick([...text.matchAll(/[a-z]/g)], random);
    return `${text.slice(0, index)}\\u00${letter.charCodeAt(0).toString(16)}${text.slice(index + 1)}`;
  },
  (text, random) => nest(text, 1 + random(DEPTH_MAX), random),
  (text, random) =>
    random(20) === 0 ? insert(text, " ".repeat(pick(SIZES, random) - text.length), random) : `${text} `,
  (text) => Buffer.from(text, "utf16le"),
  (text) => Buffer.from(`\ufeff${text}`),
];

function nest(text: string, depth: number, random: Random): string {
  const [open, close] = pick([["[", "]"], ['{"a":', "}"]] as const, random);
  return replaceOne(text, /:("[^"]*"|[\d.]+)/g, `:${open.repeat(depth)}1${close.repeat(depth)}`, random);
}

/** Applies one to three changes to a body. Most results are invalid, and a few are still valid. */
export function mutateBody(text: string, random: Random): Uint8Array {
  let mutated: string | Uint8Array = text;
  for (
    let round = 1 + random(8) % 3;
    round > 0 && typeof mutated === "string" && mutated.length > 2;
    round--
  ) {
    if (/[a-z]/.test(mutated)) mutated = pick(MUTATIONS, random)(mutated, random);
  }
  return typeof mutated === "string" ? Buffer.from(mutated) : mutated;
}

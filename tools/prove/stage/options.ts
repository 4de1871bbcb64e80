import { randomInt } from "node:crypto";
import process from "node:process";

/** The value of `--seed N`, or a random one. */
export const readSeed = (text: string | undefined): number =>
  readInteger("seed", text, 2 ** 32) ?? randomInt(2 ** 32);

/** Reads an integer below `limit`. Ends the proof with 2 if the value is something else. */
export function readInteger(name: string, text: string | undefined, limit: number): number | undefined {
  if (text === undefined) return undefined;
  const value = Number(text);
  if (Number.isInteger(value) && value >= 0 && value < limit) return value;
  console.error(`--${name} must be an integer from 0 to ${limit - 1}; got ${text}.`);
  process.exit(2);
}

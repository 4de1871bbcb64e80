import { Buffer } from "node:buffer";
import type { IncomingMessage } from "node:http";
import { parseHttpDate } from "./http_date.ts";

const KEPT_BYTES = 512;
const READ_MAX_BYTES = 16_384;
const READ_MAX_MS = 1000;
const SECONDS_FORM = /^[0-9]+$/;

/**
 * Returns the first bytes of a body as printable text. Resolves at the end of the body, so that the
 * connection can be reused. Cuts off a body that is too long or takes too long.
 */
export function readAnswer(response: IncomingMessage): Promise<string> {
  return new Promise((resolve) => {
    const kept: Buffer[] = [];
    let bytes = 0;
    const timer = setTimeout(() => response.destroy(), READ_MAX_MS);
    response.on("data", (part: Buffer) => {
      if (bytes < KEPT_BYTES) kept.push(part);
      bytes += part.length;
      if (bytes > READ_MAX_BYTES) response.destroy();
    });
    response.on("error", () => {});
    response.on("close", () => {
      clearTimeout(timer);
      resolve(bytes === 0 ? "" : printable(Buffer.concat(kept).subarray(0, KEPT_BYTES)));
    });
  });
}

/** Replaces unprintable characters. Stream decoding leaves out a character that was cut in half. */
const printable = (bytes: Uint8Array) =>
  new TextDecoder().decode(bytes, { stream: true }).replace(/[\p{C}\p{Zl}\p{Zp}]/gu, "\ufffd");

/**
 * Returns the seconds to wait. The text may be a number of any length or an HTTP date; returns null for any
 * other text.
 */
export function readRetryAfter(text: string | undefined, nowMs: () => number): number | null {
  if (text === undefined) return null;
  if (SECONDS_FORM.test(text)) return Number(text);
  const now = nowMs();
  const atMs = parseHttpDate(text, now);
  return atMs === null ? null : Math.max(0, Math.ceil((atMs - now) / 1000));
}

import { Buffer } from "node:buffer";

/**
 * Builds HTTP/2 frame by frame (RFC 9113), so that a test can send frames that no client library would send.
 */

export const FRAME = {
  data: 0,
  headers: 1,
  priority: 2,
  reset: 3,
  settings: 4,
  push: 5,
  ping: 6,
  goaway: 7,
  window: 8,
  continuation: 9,
} as const;

export const FLAG = { endStream: 1, ack: 1, endHeaders: 4, padded: 8 } as const;
export const SETTING = { tableSize: 1, push: 2, streams: 3, window: 4, frameSize: 5 } as const;

export const PREFACE = "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n";
export const FRAME_MAX_BYTES = 16_384;
const HEAD_BYTES = 9;

export interface Frame {
  readonly type: number;
  readonly flags: number;
  readonly stream: number;
  readonly payload: Buffer;
}

export type Field = readonly [name: string, value: string];

export function frame(
  type: number,
  flags: number,
  stream: number,
  payload: Uint8Array = Buffer.alloc(0),
): Buffer {
  const head = Buffer.alloc(HEAD_BYTES);
  head.writeUIntBE(payload.length, 0, 3);
  head[3] = type;
  head[4] = flags;
  head.writeUInt32BE(stream, 5);
  return Buffer.concat([head, payload]);
}

/** A complete header block, by default of a request without a body. */
export function headers(stream: number, fields: readonly Field[], flags: number = FLAG.endStream): Buffer {
  return frame(FRAME.headers, flags | FLAG.endHeaders, stream, block(fields));
}

export function settings(values: readonly (readonly [setting: number, value: number])[] = []): Buffer {
  return frame(
    FRAME.settings,
    0,
    0,
    Buffer.concat(values.map(([setting, value]) => {
      const one = Buffer.alloc(6);
      one.writeUInt16BE(setting);
      one.writeUInt32BE(value, 2);
      return one;
    })),
  );
}

export const reset = (stream: number): Buffer => frame(FRAME.reset, 0, stream, uint32(8));
export const widen = (stream: number, bytes: number): Buffer => frame(FRAME.window, 0, stream, uint32(bytes));

export function uint32(value: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32BE(value >>> 0);
  return bytes;
}

/**
 * Encodes every field as literals (RFC 7541), without a table or a Huffman code, so that any byte can be
 * sent.
 */
export function block(fields: readonly Field[]): Buffer {
  return Buffer.concat(
    fields.flatMap(([name, value]) => [Buffer.of(0), text(name), text(value)]),
  );
}

function text(value: string): Buffer {
  const bytes = Buffer.from(value, "latin1");
  return Buffer.concat([integer(bytes.length, 7), bytes]);
}

/** Encodes an integer with a prefix of `bits` bits. The bits before the prefix are zero. */
export function integer(value: number, bits: number): Buffer {
  const most = 2 ** bits - 1;
  if (value < most) return Buffer.of(value);
  const bytes = [most];
  let rest = value - most;
  for (; rest >= 128; rest = Math.floor(rest / 128)) bytes.push((rest % 128) + 128);
  return Buffer.from([...bytes, rest]);
}

/** Returns the complete frames at the beginning of `received`, and how many bytes they take. */
export function readFrames(received: Buffer): { frames: Frame[]; bytes: number } {
  const frames: Frame[] = [];
  let at = 0;
  while (received.length >= at + HEAD_BYTES) {
    const end = at + HEAD_BYTES + received.readUIntBE(at, 3);
    if (received.length < end) break;
    const [type, flags] = [received[at + 3]!, received[at + 4]!];
    const stream = received.readUInt32BE(at + 5);
    frames.push({ type, flags, stream, payload: received.subarray(at + HEAD_BYTES, end) });
    at = end;
  }
  return { frames, bytes: at };
}

/**
 * The statuses that the static table contains, at the indexes from 8 on. Other statuses are sent as literals.
 */
const INDEXED_STATUS = [200, 204, 206, 304, 400, 404, 500] as const;
const FIRST_INDEXED = 8;
const HUFFMAN_DIGITS = [
  "00000",
  "00001",
  "00010",
  "011001",
  "011010",
  "011011",
  "011100",
  "011101",
  "011110",
  "011111",
];

/** Reads the status from a reply's header block, where it is always the first field. */
export function statusOf({ payload }: Frame): number {
  let at = 0;
  // Skip changes of the table's size, which may come before the first field.
  while ((payload[at]! & 0xe0) === 0x20) at++;
  const first = payload[at]!;
  if (first >= 0x80) return INDEXED_STATUS[(first & 0x7f) - FIRST_INDEXED]!;
  const length = payload[at + 1]!;
  const value = payload.subarray(at + 2, at + 2 + (length & 0x7f));
  return Number(length < 0x80 ? value.toString("latin1") : digits(value));
}

function digits(bytes: Uint8Array): string {
  let bits = [...bytes].map((byte) => byte.toString(2).padStart(8, "0")).join("");
  let said = "";
  while (said.length < 3) {
    const digit = HUFFMAN_DIGITS.findIndex((code) => bits.startsWith(code));
    if (digit < 0) throw new Error(`no status in ${bits}`);
    said += digit;
    bits = bits.slice(HUFFMAN_DIGITS[digit]!.length);
  }
  return said;
}

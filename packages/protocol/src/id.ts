// An id is a prefix and a UUIDv7 (RFC 9562) in its usual 36 lower-case characters: it says what it names, sorts by
// the time it was made, and its second part goes into a uuid column as it is.

export const ID_PREFIX = {
  quote: "qt_",
  order: "ord_",
  withdrawal: "wd_",
  funding: "fnd_",
  event: "evt_",
  request: "req_",
} as const;

export type IdPrefix = (typeof ID_PREFIX)[keyof typeof ID_PREFIX];
export type Id<P extends IdPrefix = IdPrefix> = `${P}${string}`;
export type QuoteId = Id<"qt_">;
export type OrderId = Id<"ord_">;
export type WithdrawalId = Id<"wd_">;
export type FundingId = Id<"fnd_">;
export type EventId = Id<"evt_">;
export type RequestId = Id<"req_">;

const uuidForm = (version: string): string =>
  `[0-9a-f]{8}-[0-9a-f]{4}-${version}[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}`;
const UUID_V7 = uuidForm("7");
const UUID_FORM = new RegExp(`^${UUID_V7}$`);
const LAST_MS = 2 ** 48 - 1;
const RANDOM_BYTES = 10;
const HEX = Array.from({ length: 256 }, (_, byte) => byte.toString(16).padStart(2, "0"));

/** The pattern of ids with this prefix, for schemas. */
export function idForm(prefix: IdPrefix): RegExp {
  return new RegExp(`^${prefix}${UUID_V7}$`);
}

/** The pattern of request ids: the proxy in front names the replies that it makes by itself, by random UUIDs. */
export const REQUEST_ID_FORM: RegExp = new RegExp(`^${ID_PREFIX.request}${uuidForm("[47]")}$`);

/** A new id. `random` returns that many unpredictable bytes. */
export function newId<P extends IdPrefix>(
  prefix: P,
  nowMs: number,
  random: (length: number) => Uint8Array,
): Id<P> {
  if (!Number.isInteger(nowMs) || nowMs < 0 || nowMs > LAST_MS) {
    throw new RangeError(`${nowMs} is no time for an id; pass whole milliseconds since 1970.`);
  }
  const bytes = random(RANDOM_BYTES);
  if (bytes.length !== RANDOM_BYTES) {
    throw new RangeError(`random(${RANDOM_BYTES}) returned ${bytes.length} bytes; an id needs all of them.`);
  }
  const time = nowMs.toString(16).padStart(12, "0");
  let noise = "";
  for (const byte of bytes) noise += HEX[byte];
  // 4 of the 80 random bits give way to the version, 2 to the variant.
  const variant = "89ab"[((bytes[2] as number) >> 4) & 3];
  return `${prefix}${time.slice(0, 8)}-${time.slice(8)}-7${noise.slice(1, 4)}-${variant}${
    noise.slice(5, 8)
  }-${noise.slice(8)}`;
}

/** Whether `text` is an id with this prefix, to the letter: no upper case, no other version of UUID. */
export function isId<P extends IdPrefix>(prefix: P, text: string): text is Id<P> {
  return text.startsWith(prefix) && UUID_FORM.test(text.slice(prefix.length));
}

/** The UUID of an id, for a uuid column. `undefined` if it is no id with this prefix: then nothing has that name. */
export function uuidOfId(prefix: IdPrefix, text: string): string | undefined {
  return isId(prefix, text) ? text.slice(prefix.length) : undefined;
}

/** The id of a UUID out of a uuid column. */
export function idOfUuid<P extends IdPrefix>(prefix: P, uuid: string): Id<P> {
  if (!UUID_FORM.test(uuid)) {
    throw new RangeError(`${uuid} is no lower-case UUIDv7; the column holds something else.`);
  }
  return `${prefix}${uuid}`;
}

// An id is a prefix and a UUIDv7 (RFC 9562) in its usual 36 lower-case characters. The prefix says what the
// id names. Ids with the same prefix sort by creation time, to the millisecond. The UUID fits a uuid column
// unchanged.

export const ID_PREFIX = {
  quote: "qt_",
  order: "ord_",
  withdrawal: "wd_",
  funding: "fnd_",
  event: "evt_",
  change: "chg_",
  request: "req_",
} as const;

export type IdPrefix = (typeof ID_PREFIX)[keyof typeof ID_PREFIX];
export type Id<P extends IdPrefix = IdPrefix> = `${P}${string}`;
export type QuoteId = Id<"qt_">;
export type OrderId = Id<"ord_">;
export type WithdrawalId = Id<"wd_">;
export type FundingId = Id<"fnd_">;
export type EventId = Id<"evt_">;
export type ChangeId = Id<"chg_">;
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

/**
 * The pattern of request ids. It also accepts UUIDv4, because the proxy gives its own replies random UUIDs.
 */
export const REQUEST_ID_FORM: RegExp = new RegExp(`^${ID_PREFIX.request}${uuidForm("[47]")}$`);

/** The pattern of ids of lists of bars. The number stays below 10^9, because it is a Postgres integer. */
export const RESERVES_LIST_ID_FORM: RegExp = /^lst_[1-9][0-9]{0,8}$/;

/**
 * Returns the id of the list of bars with this number.
 *
 * @param list The digits of the number, such as `12`.
 * @example
 * ```ts
 * import { reservesListId } from "@gold-partner/protocol";
 *
 * console.log(reservesListId("12")); // lst_12
 * ```
 */
export function reservesListId(list: string): string {
  return `lst_${list}`;
}

/**
 * Returns the digits of the number of a list of bars. Returns `undefined` when `text` is not such an id.
 *
 * @param text Any text.
 * @example
 * ```ts
 * import { numberOfReservesList } from "@gold-partner/protocol";
 *
 * console.log(numberOfReservesList("lst_12")); // 12
 * ```
 */
export function numberOfReservesList(text: string): string | undefined {
  return RESERVES_LIST_ID_FORM.test(text) ? text.slice("lst_".length) : undefined;
}

/**
 * Makes a new id.
 *
 * @param prefix The prefix that says what the id names, from `ID_PREFIX`.
 * @param nowMs The current time in whole milliseconds since 1970.
 * @param random Returns the requested number of unpredictable bytes.
 * @throws RangeError when `nowMs` is not such a time, or when `random` returns another number of bytes.
 * @example
 * ```ts
 * import { randomBytes } from "node:crypto";
 * import { ID_PREFIX, newId } from "@gold-partner/protocol";
 *
 * const id = newId(ID_PREFIX.order, Date.now(), (length) => randomBytes(length));
 * console.log(id.length); // 40
 * ```
 */
export function newId<P extends IdPrefix>(
  prefix: P,
  nowMs: number,
  random: (length: number) => Uint8Array,
): Id<P> {
  if (!Number.isInteger(nowMs) || nowMs < 0 || nowMs > LAST_MS) {
    throw new RangeError(`${nowMs} is not a valid time for an id; pass whole milliseconds since 1970.`);
  }
  const bytes = random(RANDOM_BYTES);
  if (bytes.length !== RANDOM_BYTES) {
    throw new RangeError(`random(${RANDOM_BYTES}) returned ${bytes.length} bytes; an id needs all of them.`);
  }
  const time = nowMs.toString(16).padStart(12, "0");
  let noise = "";
  for (const byte of bytes) noise += HEX[byte];
  // Replace 4 of the 80 random bits by the version and 2 by the variant.
  const variant = "89ab"[((bytes[2] as number) >> 4) & 3];
  return `${prefix}${time.slice(0, 8)}-${time.slice(8)}-7${noise.slice(1, 4)}-${variant}${
    noise.slice(5, 8)
  }-${noise.slice(8)}`;
}

/**
 * Returns whether `text` is an id with this prefix. Upper case and other versions of UUID are not accepted.
 *
 * @param prefix A prefix from `ID_PREFIX`.
 * @param text Any text.
 * @example
 * ```ts
 * import { ID_PREFIX, isId } from "@gold-partner/protocol";
 *
 * console.log(isId(ID_PREFIX.order, "ord_01890a5d-ac96-774b-bcce-b302099a8057")); // true
 * ```
 */
export function isId<P extends IdPrefix>(prefix: P, text: string): text is Id<P> {
  return text.startsWith(prefix) && UUID_FORM.test(text.slice(prefix.length));
}

/**
 * Returns the UUID of an id, for a uuid column. Returns `undefined` when `text` is not an id with this
 * prefix. In that case, no record can have `text` as its id.
 *
 * @param prefix A prefix from `ID_PREFIX`.
 * @param text Any text.
 * @example
 * ```ts
 * import { ID_PREFIX, uuidOfId } from "@gold-partner/protocol";
 *
 * const uuid = uuidOfId(ID_PREFIX.order, "ord_01890a5d-ac96-774b-bcce-b302099a8057");
 * console.log(uuid); // 01890a5d-ac96-774b-bcce-b302099a8057
 * ```
 */
export function uuidOfId(prefix: IdPrefix, text: string): string | undefined {
  return isId(prefix, text) ? text.slice(prefix.length) : undefined;
}

/**
 * Returns the id of a UUID from a uuid column.
 *
 * @param prefix A prefix from `ID_PREFIX`.
 * @param uuid A UUIDv7 in lower case.
 * @throws RangeError when `uuid` is not a UUIDv7 in lower case.
 * @example
 * ```ts
 * import { ID_PREFIX, idOfUuid } from "@gold-partner/protocol";
 *
 * const id = idOfUuid(ID_PREFIX.order, "01890a5d-ac96-774b-bcce-b302099a8057");
 * console.log(id); // ord_01890a5d-ac96-774b-bcce-b302099a8057
 * ```
 */
export function idOfUuid<P extends IdPrefix>(prefix: P, uuid: string): Id<P> {
  if (!UUID_FORM.test(uuid)) {
    throw new RangeError(`${uuid} is not a lower-case UUIDv7; check the column that it was read from.`);
  }
  return `${prefix}${uuid}`;
}

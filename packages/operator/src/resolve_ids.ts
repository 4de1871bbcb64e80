import type { Row } from "postgres";
import { EXIT, Failure, failureOf } from "./failure.ts";
import type { Query } from "./query.ts";

interface Kind {
  readonly noun: string;
  /** Matches an id that needs no search. */
  readonly whole: RegExp;
  /** Matches a part of an id, and captures it without the prefix. */
  readonly part: RegExp;
  /** Finds the records whose id has this part, or all with null. The newest come first. At most `most` are read. */
  readonly find: (query: Query, part: string | null, most: number) => Promise<readonly Row[]>;
}

const UUID = "[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}";
export const LAST = "@last";
/** How many matches are read for an argument. More than one is an error, which names them. */
const MOST = 4;
/** How many records of each kind a search lists. */
const MOST_FOUND = 50;

const uuidKind = (noun: string, prefix: string, find: Kind["find"]): Kind => ({
  noun,
  whole: new RegExp(`^${prefix}${UUID}$`),
  part: new RegExp(`^(?:${prefix})?…?([0-9a-f]{4,12})$`),
  find,
});

const KINDS: Readonly<Record<string, Kind>> = {
  PROPOSAL: uuidKind("proposal", "", (query, end, most) =>
    query`
      select id::text, kind || ' by ' || proposer as about from gold.proposal_overview
      where ${end}::text is null or id::text like '%' || ${end}
      order by status = 'pending' desc, id desc limit ${most}`),
  WD: uuidKind("withdrawal", "wd_", (query, end, most) =>
    query`
      select 'wd_' || id as id, name as about from gold.withdrawal_overview
      where ${end}::text is null or id::text like '%' || ${end} order by created_at desc limit ${most}`),
  CHG: uuidKind("change", "chg_", (query, end, most) =>
    query`
      select 'chg_' || id as id, kind || ' of ' || name as about from gold.change_overview
      where ${end}::text is null or id::text like '%' || ${end}
      order by status = 'requested' desc, requested_at desc limit ${most}`),
  DEP: uuidKind("deposit", "dep_", (query, end, most) =>
    query`
      select 'dep_' || id as id, bank_reference as about from gold.deposit_overview
      where ${end}::text is null or id::text like '%' || ${end} order by recorded_at desc limit ${most}`),
  ORD: uuidKind(
    "order",
    "ord_",
    (query, end, most) =>
      end === null
        ? query`select record->>'order_id' as id, name as about from gold.page_orders(null, null, null, null, null, 1)`
        : query`select id, name as about from gold.find_records(${end}) where kind = 'order' limit ${most}`,
  ),
  QT: uuidKind(
    "quote",
    "qt_",
    (query, end, most) =>
      end === null
        ? query`select record->>'quote_id' as id, name as about from gold.page_quotes(null, null, 1)`
        : query`
        select 'qt_' || right(id, 36) as id, name as about from gold.find_records(${end})
        where kind in ('quote', 'order') limit ${most}`,
  ),
  FINGERPRINT: {
    noun: "certificate",
    whole: /^(?:[0-9a-fA-F]{2}:?){32}$/,
    part: /^([0-9a-f]{6,64})…?$/,
    find: (query, start, most) =>
      query`
        select name as id, owner as about from gold.credential_overview
        where kind in ('certificate', 'authority') and (${start}::text is null or starts_with(name, ${start}))
        order by not_before desc limit ${most}`,
  },
  ID: {
    noun: "partner",
    whole: /^(?:sbx|live)_[a-z0-9]{20}$/,
    part: /^(?:(?:sbx|live)_…|…)?(.{3,})$/,
    find: (query, text, most) =>
      query`
        select public_id as id, name as about from gold.partner_overview
        where ${text}::text is null or public_id = ${text} or starts_with(lower(name), lower(${text}))
          or right(public_id, 6) = ${text} order by id desc limit ${most}`,
  },
};

/**
 * Returns an argument with its whole id. It may be a unique part of the id, a unique beginning of a partner's
 * name, or `@last` for the newest record; among proposals, for the newest pending one.
 */
export async function resolveId(query: Query, argument: string, text: string): Promise<string> {
  const kind = KINDS[argument.replaceAll(/[[\]…]/g, "")];
  if (!kind || kind.whole.test(text)) return text;
  const part = text === LAST ? null : kind.part.exec(text)?.[1];
  if (part === undefined) return text;
  const [first, ...others] = await kind.find(query, part, MOST);
  if (!first) {
    if (part !== null) return text;
    throw new Failure(EXIT.refused, "not_found", `There is no ${kind.noun} yet.`);
  }
  if (part === null || others.length === 0) return first.id;
  const matches = [first, ...others].slice(0, MOST - 1).map(({ id, about }) => `${id} (${about})`).join(", ");
  const more = others.length === MOST - 1 ? " and more" : "";
  throw new Failure(
    EXIT.refused,
    "ambiguous",
    `${text} matches more than one ${kind.noun}: ${matches}${more}. Give more of the id.`,
  );
}

/** Whether a text has the form of a whole id. */
export const isWholeId = (argument: string, text: string): boolean => KINDS[argument]!.whole.test(text);

/**
 * Finds the records that a part of an id, or the beginning of a partner's name, may mean, as far as the roles of the
 * login may see them.
 */
export async function findByPart(query: Query, text: string): Promise<readonly Found[]> {
  // gold.find_records() searches orders and quotes itself.
  const { ORD: _orders, QT: _quotes, ...others } = KINDS;
  const found = Object.values(others).map(async ({ noun, part, find }) => {
    const given = part.exec(text)?.[1];
    const rows = given === undefined ? [] : await find(query, given, MOST_FOUND).catch(noneIfDenied);
    return rows.map(({ id, about }): Found => ({ kind: noun, id, about }));
  });
  return (await Promise.all(found)).flat();
}

function noneIfDenied(error: unknown): readonly Row[] {
  if (failureOf(error).code === "not_permitted") return [];
  throw error;
}

/** A record that a search found. */
export interface Found {
  readonly kind: string;
  readonly id: string;
  readonly about: string;
}

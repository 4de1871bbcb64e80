import { ENDPOINTS, type OperationId } from "@gold-partner/protocol";

/** The order in which waiting requests start: a smaller number first. */
export const RANK = { order: 0, health: 1, record: 2, quote: 3, other: 4, list: 5, statement: 6 } as const;
export type Rank = (typeof RANK)[keyof typeof RANK];
export const RANKS = Object.keys(RANK).length;

/** An operation without an entry is a record if its path names one. */
const RANK_OF: Partial<Record<OperationId, Rank>> = {
  createOrder: RANK.order,
  getHealth: RANK.health,
  createWithdrawal: RANK.record,
  issueToken: RANK.record,
  getTokenKeys: RANK.record,
  getBalances: RANK.record,
  createQuote: RANK.quote,
  getPrices: RANK.quote,
  listOrders: RANK.list,
  listWithdrawals: RANK.list,
  listFundings: RANK.list,
  listEvents: RANK.list,
  getStatement: RANK.statement,
};

const RANK_BY_PATH = new Map<string, Rank>(
  (Object.keys(ENDPOINTS) as OperationId[]).map((operation) => {
    const { method, path } = ENDPOINTS[operation];
    const rank = RANK_OF[operation] ?? (method === "GET" && path.endsWith("}") ? RANK.record : RANK.other);
    return [`${method} ${path.replace(/\{[a-z_]+\}$/, "")}`, rank] as const;
  }),
);

/** Returns the rank of a request that nobody has checked yet. An unknown path has the rank `other`. */
export function rankOf(method: string, target: string): Rank {
  const end = target.indexOf("?");
  const path = end < 0 ? target : target.slice(0, end);
  return RANK_BY_PATH.get(`${method} ${path}`) ??
    RANK_BY_PATH.get(`${method} ${path.slice(0, path.lastIndexOf("/") + 1)}`) ?? RANK.other;
}

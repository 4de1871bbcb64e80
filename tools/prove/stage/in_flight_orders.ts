import { randomUUID } from "node:crypto";
import type { Sql } from "postgres";
import type { Deployment } from "./deployment.ts";
import { ask, type Trader } from "./trader.ts";
import { acceptedOrderOf, memberOf, type Reply, requireReply, verdictOf, Wire } from "./wire.ts";

type Kind = "new" | "retry" | "conflict";

/** An order that is in flight while something is killed, and all replies to it. */
class InFlightOrder {
  readonly kind: Kind;
  readonly trader: Trader;
  readonly quoteId: string;
  readonly key: string;
  /** The reply to an earlier, undisturbed request with this key. */
  readonly original: string | undefined;
  readonly replies: (Reply | undefined)[] = [];

  constructor(kind: Kind, trader: Trader, quoteId: string, earlier?: { key: string; body: string }) {
    this.kind = kind;
    this.trader = trader;
    this.quoteId = quoteId;
    this.key = earlier?.key ?? randomUUID();
    this.original = earlier?.body;
  }

  /** Builds a new request at each call, with the same key and a fresh nonce, timestamp and signature. */
  request(): Promise<Uint8Array> {
    return this.trader.order(this.quoteId, { key: this.key });
  }

  /** The ids of this key's order, one for each reply that contained it. */
  get accepted(): string[] {
    const earlier = this.original === undefined
      ? []
      : [(JSON.parse(this.original) as { order_id: string }).order_id];
    return [...earlier, ...this.replies.flatMap((reply) => acceptedOrderOf(reply) ?? [])];
  }

  async retry(socketPath: string): Promise<void> {
    this.replies.push(await ask(socketPath, await this.request()).catch(() => undefined));
  }
}

export interface InFlightOrders {
  /**
   * The order that is sent first. Its account usually stays locked while a step is held, so that this order
   * waits outside the batcher and the later orders form a batch.
   */
  readonly first: InFlightOrder;
  readonly others: readonly InFlightOrder[];
}

const GRAMS = "0.01";

/**
 * Prepares one partner's order, which is sent first, and new orders of three other partners. One of these
 * three also retries an earlier order. Another of them reuses an earlier key with another quote.
 */
export async function prepareOrders({ traders, servers }: Deployment): Promise<InFlightOrders> {
  const { socket } = servers[1]!;
  const quote = async (trader: Trader) => {
    const reply = await ask(socket, trader.quote("buy", GRAMS));
    return memberOf(requireReply("the quote", reply), "quote_id");
  };
  const earlier = async (trader: Trader) => {
    const quoteId = await quote(trader);
    const key = randomUUID();
    const reply = await ask(socket, await trader.order(quoteId, { key }));
    return { quoteId, key, body: requireReply("the order", reply).body };
  };
  const [zero, one, two, three] = traders as [Trader, Trader, Trader, Trader];
  const [known, other] = [await earlier(two), await earlier(three)];
  return {
    first: new InFlightOrder("new", zero, await quote(zero)),
    others: [
      new InFlightOrder("new", one, await quote(one)),
      new InFlightOrder("new", two, await quote(two)),
      new InFlightOrder("new", three, await quote(three)),
      new InFlightOrder("retry", two, known.quoteId, known),
      new InFlightOrder("conflict", three, await quote(three), other),
    ],
  };
}

export interface Sent {
  readonly wires: readonly Wire[];
  /** Resolves once each request has its reply or has lost its connection. */
  readonly answered: Promise<readonly (Reply | undefined)[]>;
}

/** Sends all requests to one process: the first one, and the others when `firstIsSent` has resolved. */
export async function send(
  { first, others }: InFlightOrders,
  socketPath: string,
  read = true,
  firstIsSent: () => Promise<unknown> = () => Promise.resolve(),
): Promise<Sent> {
  const all = [first, ...others];
  const requests = await Promise.all(all.map((order) => order.request()));
  const wires = await Promise.all(all.map(() => Wire.open(socketPath)));
  if (!read) { for (const wire of wires) wire.stopReading(); }
  const sendOne = (wire: Wire, n: number) => wire.send(requests[n]!);
  const firstReply = sendOne(wires[0]!, 0);
  await firstIsSent();
  const replies = Promise.all([firstReply, ...wires.slice(1).map((wire, n) => sendOne(wire, n + 1))]);
  return {
    wires,
    answered: replies.then((found) => {
      all.forEach((order, n) => order.replies.push(found[n]));
      for (const wire of wires) wire.close();
      return found;
    }),
  };
}

/** The verdicts after which a partner must send the same key again. */
export const UNDECIDED: readonly string[] = [
  "none",
  "503 service_unavailable",
  "504 upstream_timeout",
  "409 idempotency_request_in_progress",
];
const EXPECTED: Readonly<Record<Kind, readonly string[]>> = {
  new: ["201", "200 replayed"],
  retry: ["200 replayed"],
  conflict: ["409 idempotency_key_conflict"],
};

/** Returns what is wrong with an order's replies. The last `settled` replies must be final. */
export async function findViolations(order: InFlightOrder, settled: number, sql: Sql): Promise<string[]> {
  const { kind, replies, trader, quoteId, key, original } = order;
  const violations: string[] = [];
  replies.forEach((reply, n) => {
    const verdict = verdictOf(reply);
    const final = n >= replies.length - settled;
    if (!EXPECTED[kind].includes(verdict) && (final || !UNDECIDED.includes(verdict))) {
      violations.push(
        `${kind} order got ${verdict}${final ? " as a final reply" : ""}: ${reply?.body ?? ""}`,
      );
    }
    if (reply?.status === 503 && !reply.headers.has("retry-after")) {
      violations.push("a 503 had no Retry-After");
    }
  });
  if (kind === "conflict") return violations;
  const answers = new Set(replies.filter((reply) => reply && reply.status < 300).map((reply) => reply!.body));
  if (original !== undefined) answers.add(original);
  const [row] = await sql`
    select (select count(*)::int from gold.orders where client_id = ${trader.client} and id = ${
    quoteId.slice(3)
  }::uuid) as executed,
      (select body from gold.idempotency_key where client_id = ${trader.client} and key = ${key}) as body`;
  answers.add(row!.body as string);
  const created = replies.filter((reply) => reply?.status === 201).length;
  if (answers.size !== 1) {
    violations.push(
      `all successful replies to one idempotency key must have the same body; got ${answers.size} different bodies: ${
        [...answers].join(" | ")
      }`,
    );
  }
  if (row!.executed !== 1) violations.push(`the order executed ${row!.executed} times`);
  if (created > 1) violations.push(`201 was returned ${created} times`);
  return violations;
}

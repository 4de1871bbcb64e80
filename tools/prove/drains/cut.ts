import { randomUUID } from "node:crypto";
import process from "node:process";
import { setTimeout as sleep } from "node:timers/promises";
import type { Deployment } from "../stage/deployment.ts";
import type { EnvoyFront } from "../stage/envoy_front.ts";
import { openTlsPool, type PartnerConnection, readIdentity } from "../stage/partner_connection.ts";
import type { Finding } from "../stage/report.ts";
import type { Trader } from "../stage/trader.ts";
import { memberOf, type Reply, requireReply, verdictOf } from "../stage/wire.ts";

const ORDERS = 4;
const GRAMS = "0.01";
const HELD_MS = 700;
/**
 * The replies that a retry with the same key may get. Without a drain, the cut connection may abort a waiting
 * order, which the retry then executes.
 */
const SETTLED = { "drain": ["200 replayed"], "no drain": ["200 replayed", "201"] };

interface HeldOrder {
  readonly quoteId: string;
  readonly key: string;
  readonly reply: Promise<Reply | string>;
}

/**
 * Stops Envoy while orders wait for a locked account. With a drain, every order gets its reply. Without a
 * drain, every reply is lost, which shows that this proof detects a lost reply. In both cases, a retry with
 * the same key then returns the order.
 */
export async function cutEnvoy(
  deployment: Deployment,
  front: EnvoyFront,
  way: "drain" | "no drain",
): Promise<Finding> {
  const trader = deployment.traders[0]!;
  await deployment.renewTokens();
  const connection = openTlsPool(deployment.port, await readIdentity(trader.credentials));
  const session = deployment.connectSuperuser(1);
  try {
    const quotes = await Promise.all(Array.from({ length: ORDERS }, () => quote(trader, connection)));
    await session.unsafe("begin");
    await session`select from gold.account where client_id = ${trader.client} for update`;
    const held = quotes.map((quoteId): HeldOrder => {
      const key = randomUUID();
      return {
        quoteId,
        key,
        reply: trader.order(quoteId, { key }).then((request) => connection.send(request)),
      };
    });
    const before = (await front.start())!;
    const gone = way === "drain" ? before.drain().then(() => before.stop()) : end(before);
    await sleep(HELD_MS);
    await session.unsafe("rollback");
    const replies = await Promise.all(held.map(({ reply }) => reply));
    await gone;
    const answered = replies.filter((reply) => typeof reply === "object" && reply.status === 201).length;
    const settled = await Promise.all(held.map((order) => settle(trader, connection, order)));
    const expected = way === "drain" ? ORDERS : 0;
    return {
      what: `${answered} of ${ORDERS} orders got a reply; retries with the same keys got ${
        settled.join(", ")
      }`,
      violations: [
        ...(answered === expected ? [] : [`${answered} orders got a reply; expected ${expected}`]),
        ...settled.filter((verdict) => !SETTLED[way].includes(verdict)).map((verdict) =>
          `a retry with the same key got ${verdict}`
        ),
      ],
    };
  } finally {
    await session.end({ timeout: 0 });
    connection.close();
  }
}

async function end({ pid, exited }: { pid: number; exited: Promise<unknown> }): Promise<void> {
  process.kill(pid, "SIGTERM");
  await exited;
}

async function quote(trader: Trader, connection: PartnerConnection): Promise<string> {
  const reply = await connection.send(trader.quote("buy", GRAMS));
  return memberOf(requireReply("the quote", reply), "quote_id");
}

async function settle(
  trader: Trader,
  connection: PartnerConnection,
  { quoteId, key }: HeldOrder,
): Promise<string> {
  return verdictOf(await connection.send(await trader.order(quoteId, { key })));
}

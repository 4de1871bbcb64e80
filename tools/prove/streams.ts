import process from "node:process";
import { setTimeout as sleep } from "node:timers/promises";
import { hostBytes } from "@gold-partner/protocol";
import { median } from "../testing/statistics.ts";
import { until } from "../testing/until.ts";
import { Experience, Victim } from "./fairness/victim.ts";
import { Deployment } from "./stage/deployment.ts";
import { EnvoyFront, SETTLE_MS } from "./stage/envoy_front.ts";
import { Report } from "./stage/report.ts";
import type { ServerProcess } from "./stage/server_process.ts";
import { ask } from "./stage/trader.ts";
import { requireReply, tallyText } from "./stage/wire.ts";
import { EventFollowers } from "./streams/event_followers.ts";
import { FollowedStream, StreamingPartner } from "./streams/followed_stream.ts";
import { ChangingPrice, PriceTally, PriceWatch, SHOWN_MS } from "./streams/prices.ts";
import { shortenToken } from "./streams/short_token.ts";

// npm run prove -- streams [--short]: partners read streams of prices and of events through the real Envoy, while
// processes stop and die, and partners are suspended. Prices are the reader's own and new, and no event is missing.

const PARTNERS = 20;
const SCALES = {
  long: { streamsEach: 50, slices: 3, sliceSeconds: 100, interruptions: 100 },
  short: { streamsEach: 10, slices: 2, sliceSeconds: 30, interruptions: 6 },
};
/** Partners with a price of their own. The percentage is the number of the partner. */
const SIMULATED = 10;
const EVENT_PARTNERS = 5;
const PRICE_STREAM = "/v1/prices/stream";
const SIMULATION_SECONDS = 600;
const DRAIN_SECONDS = 3;
const TOKEN_SECONDS = 15;
const OPENING_PAUSE_MS = 100;
const BLOCK_MS = 2000;
const TRADES_PER_SECOND = 5;
const TRADE_SECONDS = 8;
const FUNDING_SAR = "1000000";
const P99_MS = 250;
/** Tokens live for ten minutes. */
const INTERRUPTIONS_PER_TOKEN = 20;

const scale = SCALES[process.argv.includes("--short") ? "short" : "long"];
const report = new Report();
const deployment = await Deployment.start({
  servers: 2,
  traders: PARTNERS + 1,
  lanes: 2,
  drainSeconds: DRAIN_SECONDS,
});
try {
  await EnvoyFront.open(deployment);
  const partners = deployment.traders.slice(0, PARTNERS).map((trader) =>
    new StreamingPartner(trader, deployment.port)
  );
  await provePrices(partners);
  await proveEvents(partners.slice(0, EVENT_PARTNERS));
  await Promise.all(partners.map((partner) => partner.close()));
  report.tried("the books", { what: "verified", violations: await deployment.findDefects() });
} finally {
  await deployment.stop();
}
process.exit(report.close("streams") ? 0 : 1);

async function provePrices(partners: readonly StreamingPartner[]): Promise<void> {
  const buyer = deployment.traders[PARTNERS]!;
  await deployment.fund(FUNDING_SAR, [buyer]);
  const victim = await Victim.open(buyer, deployment.port);
  const percents = Array.from({ length: SIMULATED }, (_, n) => n + 1);
  const price = new ChangingPrice(deployment.sql, percents);
  const tally = new PriceTally();
  const orders = { without: new Experience(), beside: new Experience(), disturbed: new Experience() };
  const wrong: string[] = [];
  const saidMs: number[] = [];
  await victim.trade(TRADES_PER_SECOND, TRADE_SECONDS, new Experience());
  for (let slice = 0; slice < scale.slices; slice++) {
    await renewTokens(partners);
    await buyer.renewToken(deployment.servers[0]!.socket);
    for (const percent of percents) await raisePrices(partners[percent - 1]!, percent);
    await victim.trade(TRADES_PER_SECOND, TRADE_SECONDS, orders.without);
    const watches = await openPriceStreams(partners, price, tally);
    const pause = sleep(scale.sliceSeconds * 1000);
    await until(() => watches.every(({ isOpen }) => isOpen));
    await victim.trade(TRADES_PER_SECOND, TRADE_SECONDS, orders.beside);
    await until(() =>
      watches.filter(({ hasShortToken }) => hasShortToken).every(({ isOpen, reasons }) =>
        isOpen && reasons.length > 0
      )
    );
    // The last partners, of which each slice suspends another one, have the common price.
    const disturb = async () => {
      wrong.push(...await suspend(partners.at(-1 - slice)!, watches));
      for (const server of deployment.servers) await restart(server);
    };
    await Promise.all([disturb(), victim.trade(TRADES_PER_SECOND, TRADE_SECONDS, orders.disturbed)]);
    saidMs.push(...await blockPrices(watches, wrong));
    await pause;
    wrong.push(...findWrongEnds(partners.at(-1 - slice)!, watches));
    for (const watch of watches) watch.checkShown(performance.now());
    await Promise.all(watches.map(({ stream }) => stream.close()));
  }
  victim.close();
  await price.stop();
  const count = PARTNERS * scale.streamsEach;
  report.tried(`prices of ${count} streams`, {
    what:
      `${tally.messages} messages with ${tally.delaysMs.length} prices, after the later of the commit and ` +
      `the stream's pause: p50 / p99 / max ${tally.percentiles} ms`,
    violations: tally.p99Ms <= P99_MS ? [] : [`the p99 exceeds ${P99_MS} ms`],
  });
  report.tried("no stream has another partner's price", {
    what: `${SIMULATED} of ${PARTNERS} partners had prices of their own`,
    violations: tally.foreign,
  });
  report.tried("no stream shows an old price", {
    what: `a price stayed for ${tally.oldestMs.toFixed(0)} ms at most after a newer one was committed, and ` +
      `for more than ${SHOWN_MS} ms before ${tally.old.length} of ${tally.messages} messages`,
    violations: tally.old,
  });
  report.tried("ends of streams", {
    what: `${tallyText(tally.ends)}; refused: ${tallyText(tally.refusals) || "none"}`,
    violations: wrong,
  });
  report.tried("prices that cannot be read", {
    what: `${saidMs.length} streams said \`unavailable\`, ${median(saidMs).toFixed(0)} ms (median) and ` +
      `${Math.max(...saidMs).toFixed(0)} ms (at most) after the prices were locked`,
    violations: [],
  });
  const [without, beside] = [orders.without, orders.beside].map((experience) =>
    [0.5, 0.99].map((share) => experience.percentile(share))
  ) as [number[], number[]];
  report.tried("orders beside the streams", {
    what: `p50 / p99 of ${orders.beside.samples} requests ${
      beside.map((ms) => ms.toFixed(1)).join(" / ")
    } ms, ` +
      `without streams ${without.map((ms) => ms.toFixed(1)).join(" / ")} ms; ratios ` +
      beside.map((ms, n) => (ms / without[n]!).toFixed(2)).join(" / "),
    violations: Object.values(orders).flatMap(({ refused }) => refused.map((got) => `a request got ${got}`)),
  });
}

async function renewTokens(partners: readonly StreamingPartner[]): Promise<void> {
  for (const partner of partners) await partner.renewToken(deployment.servers[0]!.socket);
}

/** Raises the prices of one partner. */
async function raisePrices({ trader }: StreamingPartner, percent: number): Promise<void> {
  const body = hostBytes.utf8(JSON.stringify({ percent, seconds: SIMULATION_SECONDS }));
  const reply = await ask(deployment.servers[0]!.socket, trader.unsigned("/sandbox/simulate/prices", body));
  requireReply("the simulation", reply);
}

/** Opens the same number of streams for each partner. The first stream of each has a token that soon ends. */
async function openPriceStreams(
  partners: readonly StreamingPartner[],
  price: ChangingPrice,
  tally: PriceTally,
): Promise<PriceWatch[]> {
  const watches: PriceWatch[] = [];
  for (const [n, partner] of partners.entries()) {
    // Envoy refuses more than 512 streams that wait for a connection to the service.
    await sleep(OPENING_PAUSE_MS);
    const percent = n < SIMULATED ? n + 1 : 0;
    const shortToken = await shortenToken(deployment, partner.token, TOKEN_SECONDS);
    for (let each = 0; each < scale.streamsEach; each++) {
      const watch = new PriceWatch(partner.trader.clientId, percent, each === 0, price, tally);
      const firstToken = watch.hasShortToken ? shortToken : undefined;
      watch.stream = new FollowedStream(partner, PRICE_STREAM, watch, tally.refusals, firstToken);
      watches.push(watch);
    }
  }
  return watches;
}

/** Suspends a partner until its streams have ended. Returns the violations. */
async function suspend({ trader }: StreamingPartner, watches: readonly PriceWatch[]): Promise<string[]> {
  const own = watches.filter(({ name }) => name === trader.clientId);
  await deployment.operators.sql`select gold.suspend_partner(${trader.clientId})`;
  const ended = await until(() => own.every(({ isOpen }) => !isOpen), undefined, 10_000)
    .catch(() => false);
  await deployment.operator("partner resume", trader.clientId);
  return ended ? [] : [`streams of ${trader.clientId} went on while it was suspended`];
}

async function restart(server: ServerProcess): Promise<void> {
  await server.stop();
  await server.start();
  await sleep(SETTLE_MS);
}

/**
 * Locks the prices, so that nobody can read them. Returns after how many ms each open stream said so, and adds
 * the streams that did not to `wrong`.
 */
async function blockPrices(watches: readonly PriceWatch[], wrong: string[]): Promise<number[]> {
  await until(() => watches.every(({ isOpen }) => isOpen));
  const blockedAtMs = await deployment.inNewSession((sql) =>
    sql.begin(async (locked) => {
      await locked`lock table gold.price in access exclusive mode`;
      const atMs = performance.now();
      await sleep(BLOCK_MS);
      return atMs;
    })
  );
  const said = watches.map(({ unavailableAtMs }) => unavailableAtMs - blockedAtMs);
  for (const [n, ms] of said.entries()) {
    if (!(ms >= 0)) wrong.push(`${watches[n]!.name} was not told that its price could not be read`);
  }
  return said.filter((ms) => ms >= 0);
}

/** Checks that each stream ended for the reason that the proof gave, and for no other. */
function findWrongEnds({ trader }: StreamingPartner, watches: readonly PriceWatch[]): string[] {
  return watches.flatMap(({ name, hasShortToken, reasons }) => {
    const due = [
      ...(name === trader.clientId ? ["suspended"] : []),
      ...(hasShortToken ? ["token_expired"] : []),
    ];
    const missing = due.filter((reason) => !reasons.includes(reason));
    const others = reasons.filter((reason) => reason !== "drain" && !due.includes(reason ?? ""));
    return [
      ...missing.map((reason) => `a stream of ${name} did not end with ${reason}`),
      ...others.map((reason) => `a stream of ${name} ended with ${reason ?? "no last message"}`),
    ];
  });
}

/** Stops and kills both processes in turn, while partners follow their events. */
async function proveEvents(partners: readonly StreamingPartner[]): Promise<void> {
  const { servers } = deployment;
  await renewTokens(partners);
  const followers = new EventFollowers(partners, deployment.port);
  const wrong: string[] = [];
  let kills = 0;
  for (let n = 0; n < scale.interruptions; n++) {
    const server = servers[n % 2]!;
    const brokenBefore = followers.broken;
    if (n % 4 < 2) {
      await restart(server);
      const broken = followers.broken - brokenBefore;
      if (broken > 0) {
        wrong.push(`${broken} streams ended without a last message while ${server.name} stopped`);
      }
    } else {
      kills++;
      await server.kill();
      await server.heal();
      await sleep(SETTLE_MS);
    }
    if (n % INTERRUPTIONS_PER_TOKEN === INTERRUPTIONS_PER_TOKEN - 1) await renewTokens(partners);
  }
  const { what, violations } = await followers.check(deployment);
  report.tried(`events through ${scale.interruptions - kills} drains and ${kills} kills`, {
    what,
    violations: [...wrong, ...violations],
  });
}

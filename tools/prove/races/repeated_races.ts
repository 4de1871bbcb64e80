import { randomUUID } from "node:crypto";
import { onceAndReplays, type Race, repeat, type Tally } from "./race.ts";
import { makeQuotes } from "../stage/stage.ts";
import { nowSeconds } from "../stage/trader.ts";

// Actions that must happen once although they are requested many times. One partner sends all requests.

const SMALL_GRAMS = "0.01";

const keyOfOrder: Race = {
  name: "one idempotency key, one order",
  async prepare(stage, count) {
    const [quote] = await makeQuotes(stage, count, SMALL_GRAMS);
    const key = randomUUID();
    const requests = await Promise.all(repeat(count, () => stage.traders[0]!.order(quote!, { key })));
    return { requests, allowed: [onceAndReplays(count)], oneAnswer: true };
  },
};

const keyOfQuote: Race = {
  name: "one idempotency key, one quote",
  async prepare({ traders: [trader] }, count) {
    const key = randomUUID();
    const requests = repeat(count, () => trader!.quote("buy", "1.5", key));
    return { requests, allowed: [onceAndReplays(count)], oneAnswer: true };
  },
};

const keyOfFunding: Race = {
  name: "one idempotency key, one funding",
  async prepare({ traders: [trader] }, count) {
    const key = randomUUID();
    const requests = repeat(count, () => trader!.fund("12.34", key));
    return { requests, allowed: [onceAndReplays(count)], oneAnswer: true };
  },
};

/**
 * The allowed tallies if requests fall into groups. The requests of one group are served as if they were
 * alone. All other requests get a conflict.
 */
const oneGroupWins = (sizes: readonly number[], count: number): Tally[] =>
  sizes.map((size) => ({ ...onceAndReplays(size), "409 idempotency_key_conflict": count - size }));

const keyAtThreeEndpoints: Race = {
  name: "one idempotency key for orders, quotes and fundings",
  async prepare(stage, count) {
    const [trader] = stage.traders;
    const [quote] = await makeQuotes(stage, count, SMALL_GRAMS);
    const key = randomUUID();
    const writers = [
      () => trader!.order(quote!, { key }),
      () => trader!.quote("sell", SMALL_GRAMS, key),
      () => trader!.fund("5", key),
    ];
    const requests = await Promise.all(repeat(count, (n) => writers[n % writers.length]!()));
    const sizes = writers.map((_, n) => Math.ceil((count - n) / writers.length));
    return { requests, allowed: oneGroupWins(sizes, count), oneAnswer: true };
  },
};

const keyWithTwoQuotes: Race = {
  name: "one idempotency key with two quotes",
  async prepare(stage, count) {
    const quotes = await makeQuotes(stage, count, SMALL_GRAMS);
    const key = randomUUID();
    const requests = await Promise.all(
      repeat(count, (n) => stage.traders[0]!.order(quotes[n % 2]!, { key })),
    );
    return {
      requests,
      allowed: oneGroupWins([Math.ceil(count / 2), Math.floor(count / 2)], count),
      oneAnswer: true,
    };
  },
};

const onePasses = (count: number): Tally => ({ "201": 1, "409 nonce_reused": count - 1 });

const capturedRequest: Race = {
  name: "one nonce and timestamp, identical requests",
  async prepare(stage, count) {
    const [quote] = await makeQuotes(stage, count, SMALL_GRAMS);
    const request = await stage.traders[0]!.order(quote!);
    return { requests: repeat(count, () => request), allowed: [onePasses(count)] };
  },
};

const capturedSignature: Race = {
  name: "one nonce and timestamp, different idempotency keys",
  async prepare(stage, count) {
    const [quote] = await makeQuotes(stage, count, SMALL_GRAMS);
    const [nonce, timestampSeconds] = [randomUUID(), nowSeconds()];
    const requests = await Promise.all(
      repeat(count, () => stage.traders[0]!.order(quote!, { nonce, timestampSeconds })),
    );
    return { requests, allowed: [onePasses(count)] };
  },
};

const nonceAtOtherTimes: Race = {
  name: "one nonce, different timestamps, idempotency keys and quotes",
  async prepare(stage, count) {
    const quotes = await makeQuotes(stage, count, SMALL_GRAMS);
    const [nonce, startSeconds] = [randomUUID(), nowSeconds() - Math.floor(count / 2)];
    const requests = await Promise.all(
      quotes.map((quote, n) => stage.traders[0]!.order(quote, { nonce, timestampSeconds: startSeconds + n })),
    );
    return { requests, allowed: [onePasses(count)] };
  },
};

const quoteWithManyKeys: Race = {
  name: "one quote, a different idempotency key for each request",
  async prepare(stage, count) {
    const [quote] = await makeQuotes(stage, count, SMALL_GRAMS);
    const requests = await Promise.all(repeat(count, () => stage.traders[0]!.order(quote!)));
    return { requests, allowed: [{ "201": 1, "409 quote_already_executed": count - 1 }] };
  },
};

export const REPEATED_RACES: readonly Race[] = [
  keyOfOrder,
  keyOfQuote,
  keyOfFunding,
  keyAtThreeEndpoints,
  keyWithTwoQuotes,
  capturedRequest,
  capturedSignature,
  nonceAtOtherTimes,
  quoteWithManyKeys,
];

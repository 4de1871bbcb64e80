import { Buffer } from "node:buffer";
import {
  CanonicalError,
  JsonNumber,
  type JsonObject,
  type JsonValue,
  readJson,
} from "@gold-partner/canonical";
import { parseInstant, parsePrice, QuantityError } from "@gold-partner/protocol";
import type { Registry } from "../../admission/registry/registry.ts";
import { type PriceSource, SourceError, type SourcePrice, type StandingPrice } from "./price_source.ts";

const TIMEOUT_MS = 5000;
const REPLY_MAX_BYTES = 65_536;
/** How far a source's clock may be ahead, the time that asking it takes included. */
const AHEAD_MAX_MS = 10_000;
/** A price that is more than a tenth off the last one is a mistake until an operator says that it is none. */
const JUMP_DIVISOR = 10n;
const LOOPBACK = /^(127\.0\.0\.1|\[::1\]|localhost)$/;

/** Whether prices may be fetched from there: by https, in the clear from this machine alone. */
export function isPriceUrl(text: string): boolean {
  if (!URL.canParse(text)) return false;
  const { protocol, hostname, username, password, hash } = new URL(text);
  if (username || password || hash) return false;
  return protocol === "https:" || (protocol === "http:" && LOOPBACK.test(hostname));
}

/**
 * GET of the URL gives `{"price_per_gram_sar": 321.5, "as_of": "2026-01-31T09:30:00.000Z"}`; as_of may be left out. The
 * first price after the source was set is taken as it is; from then on one that jumps is refused.
 */
export function httpSource(now: Registry["now"], timeoutMs = TIMEOUT_MS): PriceSource {
  return {
    async next(standing, stop) {
      if (standing.url === null || !isPriceUrl(standing.url)) throw new SourceError("url_not_allowed");
      try {
        const bytes = await fetchBounded(
          standing.url,
          AbortSignal.any([stop, AbortSignal.timeout(timeoutMs)]),
        );
        return judge(readPrice(readJson(bytes)), standing, now());
      } catch (error) {
        throw error instanceof SourceError ? error : new SourceError(reasonOf(error as Error));
      }
    },
  };
}

async function fetchBounded(url: string, signal: AbortSignal): Promise<Uint8Array> {
  // A redirect would lead where no operator said that prices come from.
  const reply = await fetch(url, { redirect: "manual", signal, headers: { Accept: "application/json" } });
  if (reply.status !== 200) {
    await reply.body?.cancel();
    throw new SourceError(`status_${reply.status}`);
  }
  const parts: Uint8Array[] = [];
  let bytes = 0;
  for await (const part of reply.body ?? []) {
    bytes += part.length;
    if (bytes > REPLY_MAX_BYTES) throw new SourceError("too_large");
    parts.push(part);
  }
  return Buffer.concat(parts);
}

function readPrice(reply: JsonValue): SourcePrice {
  if (!isObject(reply)) throw new SourceError("not_an_object");
  const { price_per_gram_sar: price, as_of: asOf = null } = reply;
  if (!(price instanceof JsonNumber)) throw new SourceError("price_missing");
  if (asOf !== null && typeof asOf !== "string") throw new SourceError("as_of_invalid");
  return { midPips: parsePrice(price.source), asOf };
}

/** What is well formed and still not believed. A price older than the one that stands is no mistake, and no news. */
function judge(
  price: SourcePrice,
  { midPips, asOf }: StandingPrice,
  nowMs: ReturnType<Registry["now"]>,
): SourcePrice | undefined {
  const difference = price.midPips - midPips;
  const jumps = (difference < 0n ? -difference : difference) * JUMP_DIVISOR > midPips;
  if (asOf && jumps) throw new SourceError("implausible_jump");
  if (price.asOf === null) return price;
  const atMs = parseInstant(price.asOf);
  if (atMs === undefined) throw new SourceError("as_of_invalid");
  if (atMs > nowMs + AHEAD_MAX_MS) throw new SourceError("as_of_in_the_future");
  return asOf && atMs < asOf.getTime() ? undefined : price;
}

const isObject = (value: JsonValue): value is JsonObject =>
  typeof value === "object" && value !== null && !Array.isArray(value) && !(value instanceof JsonNumber);

function reasonOf(error: Error): string {
  if (error instanceof CanonicalError) return "not_json";
  if (error instanceof QuantityError) return "not_a_price";
  return error.name === "TimeoutError" ? "timeout" : "unreachable";
}

import { Buffer } from "node:buffer";
import { type ClientRequest, request as httpRequest } from "node:http";
import { request as httpsRequest } from "node:https";
import {
  CanonicalError,
  JsonNumber,
  type JsonObject,
  type JsonValue,
  readJson,
} from "@gold-partner/canonical";
import { parseInstant, parsePrice, QuantityError } from "@gold-partner/protocol";
import type { Registry } from "../../admission/registry/registry.ts";
import type { AllowList } from "../../settings/allow_list.ts";
import { checkEndpoint } from "../../http/outbound/check_endpoint.ts";
import {
  type Destination,
  EndpointError,
  findDestination,
  type Rules,
} from "../../http/outbound/destination.ts";
import { PinnedAgent, type PinnedOptions } from "../../http/outbound/pinned_agent.ts";
import { createResolver, type ResolveHost } from "../../http/outbound/resolve_host.ts";
import { type PriceSource, SourceError, type SourcePrice, type StandingPrice } from "./price_source.ts";

const TIMEOUT_MS = 5000;
const REPLY_MAX_BYTES = 65_536;
/** How far a source's clock may be ahead, including the time of the request. */
const AHEAD_MAX_MS = 10_000;
const PORTS = [443, 8443];

const rulesOf = (allow: AllowList): Rules => ({
  loopbackReceivers: false,
  ports: PORTS,
  allow,
  subject: {
    owner: "The price source's",
    exception: "PRICE_SOURCE_ALLOW in the service's environment can permit an internal feed.",
  },
});

/**
 * Returns an error message for an invalid URL of a price source; undefined if the URL is valid. Resolves no
 * names: the service checks the resolved addresses before each request.
 */
export async function checkPriceUrl(url: string, allow: AllowList): Promise<string | undefined> {
  const fault = await checkEndpoint(url, rulesOf(allow), () => Promise.resolve([]));
  return fault === undefined || fault.code === "dns_failed" ? undefined : fault.message;
}

interface HttpSourceOptions {
  readonly now: Registry["now"];
  /** Internal feeds that requests may go to. */
  readonly allow: AllowList;
  readonly resolve?: ResolveHost;
}

/**
 * GET of the URL returns `{"price_per_gram_sar": 321.5, "as_of": "2026-01-31T09:30:00.000Z"}`; as_of is
 * optional. The database refuses a price outside the band (price_band.sql). The URL comes from the database,
 * so it is checked like a webhook URL, and a request goes only to a checked address.
 */
export function httpSource(
  { now, allow, resolve = createResolver() }: HttpSourceOptions,
  timeoutMs = TIMEOUT_MS,
): PriceSource {
  const agent = new PinnedAgent(undefined, false);
  const rules = rulesOf(allow);
  return {
    async next(standing, stop) {
      const signal = AbortSignal.any([stop, AbortSignal.timeout(timeoutMs)]);
      try {
        const destination = await orAborted(findDestination(standing.url ?? "", rules, resolve), signal);
        const bytes = await fetchBounded(destination, agent, signal);
        return judge(readPrice(readJson(bytes)), standing, now());
      } catch (error) {
        throw error instanceof SourceError ? error : new SourceError(reasonOf(error as Error, signal));
      }
    },
  };
}

function orAborted<T>(promise: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    const abort = () => reject(signal.reason);
    if (signal.aborted) return abort();
    signal.addEventListener("abort", abort, { once: true });
    promise.then(resolve, reject).finally(() => signal.removeEventListener("abort", abort));
  });
}

/** The body of a 200 reply. Redirects are not followed, because their target was not checked. */
function fetchBounded(destination: Destination, agent: PinnedAgent, signal: AbortSignal): Promise<Buffer> {
  const sent = openRequest(destination, agent);
  const abort = () => void sent.destroy(signal.reason as Error);
  signal.addEventListener("abort", abort, { once: true });
  return new Promise<Buffer>((resolve, reject) => {
    const fail = (reason: string) => {
      reject(new SourceError(reason));
      sent.destroy();
    };
    sent.on("error", reject);
    sent.on("upgrade", (_, socket) => socket.destroy());
    sent.on("close", () => reject(new Error("The connection closed before the reply was complete.")));
    sent.on("response", (response) => {
      if (response.statusCode !== 200) return fail(`status_${response.statusCode}`);
      const parts: Buffer[] = [];
      let bytes = 0;
      response.on("error", reject);
      response.on("data", (part: Buffer) => {
        bytes += part.length;
        if (bytes > REPLY_MAX_BYTES) fail("too_large");
        else parts.push(part);
      });
      response.on("end", () => resolve(Buffer.concat(parts)));
    });
    sent.end();
    if (signal.aborted) abort();
  }).finally(() => signal.removeEventListener("abort", abort));
}

/** Uses no global agent, so that it ignores proxy variables. Connects to a checked address. */
function openRequest(destination: Destination, agent: PinnedAgent): ClientRequest {
  const { addresses, host, path, port, secure } = destination;
  const options = {
    path,
    setHost: false,
    headers: { "Host": host, "Accept": "application/json", "User-Agent": "gold-prices/1" },
  };
  if (!secure) return httpRequest({ ...options, agent: false, host: addresses[0]!, port });
  const pinned: PinnedOptions = { ...options, agent, destination, servername: "" };
  return httpsRequest(pinned);
}

function readPrice(reply: JsonValue): SourcePrice {
  if (!isObject(reply)) throw new SourceError("not_an_object");
  const { price_per_gram_sar: price, as_of: asOf = null } = reply;
  if (!(price instanceof JsonNumber)) throw new SourceError("price_missing");
  if (asOf !== null && typeof asOf !== "string") throw new SourceError("as_of_invalid");
  return { midPips: parsePrice(price.source), asOf };
}

/** Refuses a price of the future. Ignores a price older than the current one. */
function judge(
  price: SourcePrice,
  { asOf }: StandingPrice,
  nowMs: ReturnType<Registry["now"]>,
): SourcePrice | undefined {
  if (price.asOf === null) return price;
  const atMs = parseInstant(price.asOf);
  if (atMs === undefined) throw new SourceError("as_of_invalid");
  if (atMs > nowMs + AHEAD_MAX_MS) throw new SourceError("as_of_in_the_future");
  return asOf && atMs < asOf.getTime() ? undefined : price;
}

const isObject = (value: JsonValue): value is JsonObject =>
  typeof value === "object" && value !== null && !Array.isArray(value) && !(value instanceof JsonNumber);

function reasonOf(error: Error, signal: AbortSignal): string {
  if (error instanceof CanonicalError) return "not_json";
  if (error instanceof QuantityError) return "not_a_price";
  if (error instanceof EndpointError) return error.code;
  return (signal.reason as Error | undefined)?.name === "TimeoutError" ? "timeout" : "unreachable";
}

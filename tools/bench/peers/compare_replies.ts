import { Buffer } from "node:buffer";
import { randomUUID } from "node:crypto";
import { importSigningKey, keySigner } from "@gold-partner/jws";
import { ask, nowSeconds, PartnerRequests } from "../../prove/stage/trader.ts";
import { type Reply, requireReply, verdictOf } from "../../prove/stage/wire.ts";
import type { QuoteRun } from "../orders/quote_run.ts";
import type { Settings } from "../orders/generator.ts";
import type { Stack } from "../orders/stack.ts";

const PATH = "/v1/orders";
const [HASH, SIGNATURE] = [/Hash=\w+/, /X-JWS-Signature: .*\r\n/];
/** Headers of the connection, which the two HTTP servers write differently. */
const OF_CONNECTION = ["connection", "date", "keep-alive"];

/**
 * Sends the same orders and refused requests to two services, and throws at the first difference: another
 * status, code, member or header. The quotes belong to the first partner.
 */
export async function compareReplies(ours: Stack, peer: Stack, quotes: QuoteRun): Promise<string> {
  const [buyer, other] = await Promise.all([0, 1].map((index) => openPartner(ours.settings, index)));
  let made = 0;
  const newQuote = async () => {
    await quotes.fill(++made);
    return quotes.idsBetween(made - 1, made)[0]!;
  };
  const send = (to: Stack, request: Uint8Array) => ask(to.settings.socket, request);

  // Each service executes an order. The other service finds its key, with the same fingerprint.
  const shapes: string[] = [];
  for (const [first, second] of [[ours, peer], [peer, ours]] as const) {
    const [quote, key] = [await newQuote(), randomUUID()];
    const order = requireReply("an order", await send(first, await buyer!.order(quote, { key })));
    const repeat = requireReply("its repeat", await send(second, await buyer!.order(quote, { key })), 200);
    requireSame("the repeat of an order", order.body, repeat.body);
    shapes.push(shapeOf(order), shapeOf(repeat));
  }
  requireSame("an order", shapes[0], shapes[2]);
  requireSame("a repeat", shapes[3], shapes[1]);

  const spent = { quote: await newQuote(), key: randomUUID(), nonce: randomUUID() };
  requireReply("an order", await send(ours, await buyer!.order(spent.quote, spent)));
  const refused = refusedRequests({ buyer: buyer!, other: other!, newQuote, spent });
  for (const [name, make] of Object.entries(refused)) {
    const [left, right] = [await send(ours, await make()), await send(peer, await make())];
    if (!left || left.status < 400) throw new Error(`${name} was not refused: ${verdictOf(left)}`);
    requireSame(name, verdictOf(left), verdictOf(right));
  }
  const count = Object.keys(refused).length;
  return `The service and the Go service gave the same replies to 4 orders and repeats, and to ${count} refused requests.`;
}

async function openPartner(
  { baseUrl, clientSecret, partners, socket }: Settings,
  index: number,
): Promise<PartnerRequests> {
  const { clientId, fingerprint, signingJwk } = partners[index]!;
  const account = { client_id: clientId, client_secret: clientSecret, base_url: baseUrl };
  const requests = new PartnerRequests(
    account,
    fingerprint,
    keySigner(await importSigningKey(signingJwk)),
  );
  await requests.renewToken(socket);
  return requests;
}

interface Given {
  readonly buyer: PartnerRequests;
  readonly other: PartnerRequests;
  readonly newQuote: () => Promise<string>;
  /** The parts of an order that was executed. */
  readonly spent: { readonly quote: string; readonly key: string; readonly nonce: string };
}

/** Functions that make a request which a service refuses. Each call makes a new request. */
function refusedRequests(
  { buyer, other, newQuote, spent }: Given,
): Record<string, () => Promise<Uint8Array>> {
  const edited = async (pattern: RegExp, text: string) =>
    Buffer.from(`${Buffer.from(await buyer.order(await newQuote()))}`.replace(pattern, text));
  const withBody = (body: string) => buyer.signed(PATH, Buffer.from(body));
  const foreign = async (header: RegExp) =>
    header.exec(`${Buffer.from(await other.order(await newQuote()))}`)![0];
  return {
    "an unknown certificate": () => edited(/Hash=\w{8}/, "Hash=00000000"),
    "two certificates": () => edited(HASH, "$&,$&"),
    "a certificate of another partner": async () => edited(HASH, await foreign(HASH)),
    "another address": () => edited(/127\.0\.0\.1/, "127.0.0.2"),
    "no token": () => edited(/Authorization: .*\r\n/, ""),
    "a changed token": () => edited(/(Bearer [\w-]+\.)\w/, "$1_"),
    "another media type": () => edited(/application\/json/, "text/plain"),
    "no key": () => edited(/Idempotency-Key: .*\r\n/, ""),
    "no nonce": () => edited(/X-Nonce: .*\r\n/, ""),
    "a short nonce": () => edited(/X-Nonce: .*\r\n/, "X-Nonce: 1\r\n"),
    "two timestamps": () => edited(/X-Timestamp: .*\r\n/, "$&$&"),
    "an old timestamp": async () => buyer.order(await newQuote(), { timestampSeconds: nowSeconds() - 400 }),
    "a changed nonce": () => edited(/(X-Nonce: )\w{8}/, "$100000000"),
    "a signature of another partner": async () => edited(SIGNATURE, await foreign(SIGNATURE)),
    "an embedded payload": () => edited(/\.\.(?=[\w-]{86}\r\n)/, ".e30."),
    "no JSON": () => withBody("{"),
    "an unknown member": () => withBody('{"quote_id":"qt_1","side":"buy"}'),
    "no quote": () => withBody("{}"),
    "a quote that is no text": () => withBody('{"quote_id":1}'),
    "a malformed quote": () => withBody('{"quote_id":"qt_1"}'),
    "an unknown quote": () => withBody(`{"quote_id":"${spent.quote.replace("qt_0", "qt_1")}"}`),
    "an executed quote": () => buyer.order(spent.quote),
    "a spent nonce": async () => buyer.order(await newQuote(), { nonce: spent.nonce }),
    "a key of another order": async () => buyer.order(await newQuote(), { key: spent.key }),
  };
}

const shapeOf = ({ status, headers, body }: Reply): string =>
  JSON.stringify([
    status,
    [...headers.keys()].filter((name) => !OF_CONNECTION.includes(name)).sort(),
    headers.get("content-type"),
    Object.entries(JSON.parse(body)).map(([name, value]) => [name, typeof value]),
  ]);

function requireSame(what: string, ours: string | undefined, peer: string | undefined): void {
  if (ours !== peer) throw new Error(`${what} has two replies:\n  ${ours}\n  ${peer}`);
}

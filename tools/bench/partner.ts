// A partner whose requests are built as bytes before the clock starts. The same bytes go to the service's
// socket and to Envoy.
import type { Credentials } from "@gold-partner/dev";
import { ask, PartnerRequests } from "../prove/stage/trader.ts";
import { memberOf, type Reply, requireReply, Wire } from "../prove/stage/wire.ts";

const FUNDS_SAR = "10000000";
const GRAMS = "0.001";
const QUOTES_AT_ONCE = 16;

/** Gets a token and funds for the partner, through the service's own socket. */
export async function openPartner(credentials: Credentials, socket: string): Promise<PartnerRequests> {
  const partner = await PartnerRequests.read(credentials);
  await partner.renewToken(socket);
  requireReply("funding", await ask(socket, partner.fund(FUNDS_SAR)));
  return partner;
}

/** Returns signed orders, each for its own quote. */
export async function prepareOrders(
  partner: PartnerRequests,
  socket: string,
  count: number,
): Promise<Uint8Array[]> {
  const wires = await Promise.all(
    Array.from({ length: Math.min(QUOTES_AT_ONCE, count) }, () => Wire.open(socket)),
  );
  const requests = Array.from({ length: count }, () => partner.quote("buy", GRAMS));
  const quoteIds: string[] = [];
  await sendAll(wires, requests, (reply, index) => void (quoteIds[index] = memberOf(reply, "quote_id")));
  return await Promise.all(quoteIds.map((quoteId) => partner.order(quoteId)));
}

/**
 * Sends all requests and closes the connections. Each connection sends its next request when its previous
 * request is answered. Throws if a request does not succeed.
 */
export async function sendAll(
  wires: readonly Wire[],
  requests: readonly Uint8Array[],
  onReply: (reply: Reply, index: number) => void = () => {},
): Promise<void> {
  let next = 0;
  try {
    await Promise.all(wires.map(async (wire) => {
      while (next < requests.length) {
        const index = next++;
        const reply = await wire.send(requests[index]!);
        if (!reply || reply.status >= 300) requireReply("a request", reply);
        else onReply(reply, index);
      }
    }));
  } finally {
    for (const wire of wires) wire.close();
  }
}

import { GoldClient, GoldError, type TryReport } from "@gold-partner/client";
import type { ServerCertificate } from "./authorities.ts";
import { type DemoReceiver, openDemoReceiver } from "./demo_receiver.ts";
import type { Operator } from "./operator.ts";
import type { Credentials } from "./partner.ts";
import { doStep, type Listener } from "./progress.ts";
import type { StartOptions } from "./running.ts";

const HTTPS_PORT = 443;

/**
 * Runs the demo with its own receiver, which listens only while the demo runs. After the demo, its port is
 * free for the developer's receiver. The partner of an earlier start may be suspended by now, or the market
 * halted. The refusal then ends only the demo.
 */
export async function demonstrate(
  operator: Operator,
  { credentials, isNew }: { readonly credentials: Credentials; readonly isNew: boolean },
  certificate: ServerCertificate,
  listener: Listener & Pick<StartOptions, "webhookTimeoutMs">,
): Promise<void> {
  const { webhook_url } = await operator("partner show", credentials.client_id);
  const { hostname, port } = new URL(webhook_url as string);
  const plan = {
    port: Number(port || HTTPS_PORT),
    certificate,
    secret: credentials.webhook_secret,
    clientId: credentials.client_id,
    timeoutMs: listener.webhookTimeoutMs,
  };
  // Undefined if the operator registered a receiver elsewhere.
  const receiver = hostname === "localhost" ? await openDemoReceiver(plan) : undefined;
  if (!receiver) listener.report("receiver", 0, `webhooks go to the receiver at ${webhook_url}`);
  else await endPause(operator, credentials.client_id);
  try {
    await runDemo(credentials, listener, receiver);
  } catch (error) {
    if (isNew || !(error instanceof GoldError) || error.serviceCode === undefined) throw error;
    listener.report("demo", 0, `ended, because the service refused it: ${error.message}`);
  } finally {
    await receiver?.stop();
  }
}

/**
 * Runs a partner's calls over mutual TLS, from the health check to the first withdrawal. With a receiver, it
 * also reports the webhooks.
 */
export async function runDemo(
  credentials: Credentials,
  listener: Listener,
  receiver?: DemoReceiver,
): Promise<void> {
  // Reports the token that the client fetches by itself, at the first call that needs one.
  const observe = ({ operation, ms, status }: TryReport) => {
    if (operation !== "issueToken" || status !== 200) return;
    listener.report("token", ms, "a token for ten minutes, bound to the client certificate");
  };
  const client = await GoldClient.fromCredentials(credentials, { observe });
  const step = <T>(name: string, doing: string, act: () => Promise<T>, say: (result: T) => string) =>
    doStep(listener, name, doing, act, say);
  const awaitWebhook = async (type: string, id: string) => {
    if (receiver) listener.report("webhook", ...await describeArrival(type, id, receiver));
  };
  const trade = async (name: string, side: "buy" | "sell", gold_grams: string) => {
    const { quote_id } = await step(
      "quote",
      "requesting a price",
      () => client.createQuote({ side, gold_grams }),
      (quote) => `${side} ${quote.gold_grams} g for ${quote.total_sar} SAR, firm for a minute`,
    );
    const { order_id } = await step(
      name,
      "ordering",
      () => client.placeOrder({ quote_id }),
      (order) => `signed; executed ${order.order_id}`,
    );
    await awaitWebhook("order.executed", order_id);
  };

  try {
    await step(
      "health",
      "asking",
      () => client.getHealth(),
      () => "the service is up and accepted the client certificate",
    );
    await step(
      "prices",
      "asking",
      () => client.getPrices(),
      ({ buy_price, sell_price }) => `buy at ${buy_price}, sell at ${sell_price} SAR a gram`,
    );
    await step(
      "fund",
      "funding the account",
      () => client.fundSandbox({ amount_sar: "10000" }),
      ({ amount_sar }) => `${amount_sar} SAR of sandbox money was credited`,
    );
    await trade("order", "buy", "1.5");
    await trade("sell", "sell", "0.5");
    const { withdrawal_id } = await step(
      "withdrawal",
      "requesting a withdrawal",
      () => client.createWithdrawal({ amount_sar: "100" }),
      ({ amount_sar, status, balances: { sar, gold } }) =>
        `signed; ${amount_sar} SAR ${status}; remaining balance ${gold.grams} g, ${sar.available} SAR`,
    );
    await awaitWebhook("withdrawal.created", withdrawal_id);
  } finally {
    client.close();
  }
}

/**
 * Waits for the event. Returns the milliseconds from the service's answer until the event arrived, and the
 * text to report. The time is 0 if the event arrived before the answer. If no event arrives, it is the time
 * waited.
 */
async function describeArrival(type: string, id: string, receiver: DemoReceiver): Promise<[number, string]> {
  const answeredMs = performance.now();
  const arrivedMs = await receiver.awaitEvent(id);
  return arrivedMs === undefined
    ? [performance.now() - answeredMs, `${type} has not arrived yet; the service will retry it`]
    : [Math.max(0, arrivedMs - answeredMs), `${type} arrived, and its signature is valid`];
}

/**
 * A partner's first events report its credentials. The service tried to send them before the receiver
 * listened. After such failures it pauses deliveries to the endpoint, which would delay the demo's events. A
 * redelivery ends the pause.
 */
async function endPause(operator: Operator, clientId: string): Promise<void> {
  const { items } = await operator(`event list ${clientId} --status pending --limit 1`) as {
    items: { event_id: string }[];
  };
  for (const { event_id } of items) await operator(`event redeliver ${event_id}`);
}

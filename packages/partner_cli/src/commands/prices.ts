import type { GoldClient, Prices } from "@gold-partner/client";
import type { Command, Row } from "../command.ts";

export const PRICES: Command = {
  name: "prices",
  usage: "[--follow]",
  does: "shows the prices, and with --follow each change of them",
  terms: {
    Options: [["--follow", "show each change, at most four a second, until you end the command with Ctrl-C"]],
  },
  options: { follow: { type: "boolean" } },
  async run({ values, client, untilStopped }) {
    const opened = await client();
    return values["follow"] === true
      ? { lines: followed(opened, untilStopped()) }
      : { reply: await opened.getPrices() };
  },
};

async function* followed(client: GoldClient, signal: AbortSignal): AsyncGenerator<Row> {
  try {
    for await (const prices of client.streamPrices({ signal })) yield rowOf(prices);
  } catch (error) {
    if (!signal.aborted) throw error;
  }
}

const rowOf = (prices: Prices | null): Row => ({
  as_of: prices?.as_of ?? null,
  buy_price: prices ? `${prices.buy_price}` : null,
  sell_price: prices ? `${prices.sell_price}` : null,
  market: prices?.market ?? "price_unavailable",
});

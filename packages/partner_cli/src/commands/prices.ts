import { type GoldClient, type Prices, Quantity } from "@gold-partner/client";
import type { Cell, Command, Row } from "../command.ts";
import { outageOptions } from "../outage_options.ts";

export const PRICES: Command = {
  name: "prices",
  usage: "[--follow]",
  does: "shows the prices, and with --follow each change of them",
  terms: {
    Options: [["--follow", "show each change, at most four a second, until you end the command with Ctrl-C"]],
  },
  help: "With --follow it waits in an outage of the service.",
  options: { follow: { type: "boolean" } },
  async run({ values, client, untilStopped, ...terminal }) {
    if (values["follow"] !== true) return { reply: await (await client()).getPrices() };
    const prices = followed(await client(outageOptions(terminal)), untilStopped());
    return { lines: values.json ? prices : inColumns(prices, terminal.screen ? RIYADH_WIDTH : UTC_WIDTH) };
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

/** The widths of a time on a terminal, `29 Nov 2026 23:30:00 +03:00`, and elsewhere. */
const [RIYADH_WIDTH, UTC_WIDTH] = [27, 24];
const PRICE_HEADS = { buy_price: "buy SAR/g", sell_price: "sell SAR/g" } as const;

/** Formats rows for people: a header line, then prices with all decimals, so that the columns align. */
async function* inColumns(rows: AsyncIterable<Row>, timeWidth: number): AsyncGenerator<Row> {
  yield { as_of: "as_of".padEnd(timeWidth), ...PRICE_HEADS, market: "market" };
  for await (const { as_of, buy_price, sell_price, market } of rows) {
    const priceText = (price: Cell | undefined, head: string) =>
      (price ? Quantity.parse(`${price}`, "SAR/g").toFixed() : "-").padStart(head.length);
    yield {
      as_of: as_of ?? "-".padEnd(timeWidth),
      buy_price: priceText(buy_price, PRICE_HEADS.buy_price),
      sell_price: priceText(sell_price, PRICE_HEADS.sell_price),
      market: market!,
    };
  }
}

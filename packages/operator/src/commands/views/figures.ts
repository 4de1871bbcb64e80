import type { Command } from "../../command.ts";
import {
  countRefusals,
  readOwed,
  readPositions,
  readPrice,
  readStock,
  readWaiting,
  startOfDay,
  sumPosition,
  sumTrades,
} from "../../views/figures.ts";

const today: Command = {
  words: "today",
  usage: "today",
  does:
    "shows the day so far: price, trades, position, gold and SAR owed, binding refusals, and what waits for a person",
  async run({ read, trades: day }) {
    const since = await startOfDay(read);
    const trades = await day.read(read, since);
    const [price, open, stock, owed, refusals, waiting] = await Promise.all([
      readPrice(read),
      day.countOpen(read, true),
      readStock(read),
      readOwed(read),
      countRefusals(read, since),
      readWaiting(read),
    ]);
    return {
      object: { since: since.toISOString() },
      parts: { price, trades: sumTrades(trades, since), position: sumPosition(trades, open), stock, owed },
      lists: { refusals, waiting },
    };
  },
};

const position: Command = {
  words: "position",
  usage: "position",
  does:
    "shows what partners bought minus what they sold today, the open quotes, and the share of each partner",
  async run({ read, trades: day }) {
    const since = await startOfDay(read);
    const trades = await day.read(read, since);
    const [open, items] = await Promise.all([day.countOpen(read), readPositions(read, trades)]);
    return { object: { since: since.toISOString(), ...sumPosition(trades, open) }, items };
  },
};

const stock: Command = {
  words: "stock",
  usage: "stock",
  does: "shows the gold in the vault, what is owed and free, and for how many days the free gold lasts",
  run: async ({ read }) => ({ object: await readStock(read) }),
};

export const FIGURE_COMMANDS: readonly Command[] = [today, position, stock];

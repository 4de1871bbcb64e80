import type { Command } from "../../command.ts";
import {
  countRefusals,
  readOwed,
  readPosition,
  readPositions,
  readPrice,
  readStock,
  readTrades,
  readWaiting,
  startOfDay,
} from "../../views/figures.ts";

const today: Command = {
  words: "today",
  usage: "today",
  does:
    "shows the day so far: price, trades, position, gold and SAR owed, binding refusals, and what waits for a person",
  async run({ read, trades: day }) {
    const since = await startOfDay(read);
    const [price, trades, position, stock, owed, refusals, waiting] = await Promise.all([
      readPrice(read),
      readTrades(read, day, since),
      readPosition(read),
      readStock(read),
      readOwed(read),
      countRefusals(read, since),
      readWaiting(read),
    ]);
    return {
      object: { since: since.toISOString() },
      parts: { price, trades, position, stock, owed },
      lists: { refusals, waiting },
    };
  },
};

const position: Command = {
  words: "position",
  usage: "position",
  does:
    "shows what the house sold minus what it bought today, the open quotes, and the share of each partner",
  async run({ read }) {
    const since = await startOfDay(read);
    const [object, items] = await Promise.all([readPosition(read), readPositions(read, since)]);
    return { object: { since: since.toISOString(), ...object }, items };
  },
};

const stock: Command = {
  words: "stock",
  usage: "stock",
  does: "shows the gold in the vault, what is owed and free, and for how many days the free gold lasts",
  run: async ({ read }) => ({ object: await readStock(read) }),
};

export const FIGURE_COMMANDS: readonly Command[] = [today, position, stock];

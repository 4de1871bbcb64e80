// The operator's exposure: what all partners bought minus what they sold in a day, and the open quotes. It is
// counted only while it has a limit.
import type { Findings } from "../findings.ts";
import type { ExpectedTables } from "../registry/expected.ts";
import type { Connection, Row } from "../snapshot.ts";
import { selectFrom } from "../tables.ts";
import { instantText } from "../values.ts";
import { DAY_MS, isMidnight } from "./riyadh_day.ts";

/** A quote's lifetime is at most an hour, so a slot is at most a minute long. */
const SLOT_MAX_MS = 60_000;

export async function checkExposure(
  sql: Connection,
  findings: Findings,
  expected: ExpectedTables,
  now: number,
): Promise<void> {
  const expect = (row: string, right: unknown, found: unknown) =>
    findings.expect("exposure_is_counted", row, right, found);
  const [vault, ...others] = await sql.unsafe(selectFrom("vault", "order by stripe"));
  const slots: readonly Row[] = await sql.unsafe(selectFrom("open_exposure", "order by ends_at"));
  if (!vault) return;
  const maximum = expected.of("exposure").get("exposure")?.maximum ?? null;
  for (const { stripe, maximum_exposure } of [vault, ...others]) {
    expect(`vault ${stripe} maximum_exposure`, maximum, maximum_exposure);
  }
  if (vault.maximum_exposure === null) {
    expect("vault day", "0 -Infinity", `${vault.day_net} ${vault.day_ends_at}`);
    expect("open_exposure", 0, slots.length);
    return;
  }
  expect("vault day_ends_at", true, isMidnight(vault.day_ends_at));
  // Orders after the day count, too: the clock stepped back after them.
  const sums = await sql.unsafe(
    `select side, sum(grams)::bigint as grams from gold.orders where executed_at >= '${
      instantText(vault.day_ends_at - DAY_MS)
    }' group by side`,
  );
  const net = sums.reduce((sum: bigint, { side, grams }) => sum + (side === "buy" ? grams : -grams), 0n);
  expect("vault day_net", net, vault.day_net);

  const since = Math.min(now, slots[0]?.ends_at ?? now) - SLOT_MAX_MS;
  const open = await sql.unsafe(
    `select q.side, q.grams, q.created_at, q.expires_at from gold.quote q
     left join gold.orders o on o.bucket = q.bucket and o.client_id = q.client_id and o.id = q.id
     where q.expires_at >= '${instantText(since)}' and o.id is null`,
  );
  const counted = new Map<number, { buy: bigint; sell: bigint }>();
  for (const { side, grams, created_at, expires_at } of open) {
    const end = slotOf(created_at, expires_at);
    const slot = counted.get(end) ?? { buy: 0n, sell: 0n };
    slot[side as "buy" | "sell"] += grams;
    counted.set(end, slot);
  }
  const found = new Map(slots.map(({ ends_at, buys, sells }) => [ends_at as number, `${buys} ${sells}`]));
  for (const end of new Set([...found.keys(), ...counted.keys()])) {
    // The rows of quotes that have ended may be deleted already.
    if (end <= now && !found.has(end)) continue;
    const { buy, sell } = counted.get(end) ?? { buy: 0n, sell: 0n };
    expect(`open_exposure ${instantText(end)}`, `${buy} ${sell}`, found.get(end));
  }
}

/** As exposure_slot() of the database: a quote's end, rounded up to a sixtieth of its lifetime. */
function slotOf(createdAt: number, expiresAt: number): number {
  const width = Math.max(1, Math.ceil((expiresAt - createdAt) / 60_000)) * 1000;
  return Math.floor(expiresAt / width) * width + width;
}

import type { Findings } from "../findings.ts";
import type { Connection, Row } from "../snapshot.ts";
import { selectFrom } from "../tables.ts";
import { decimalText, gramsText, instantText } from "../values.ts";
import { Near } from "../registry/expected.ts";
import type { BarList } from "./bar_lists.ts";
import type { Totals } from "./context.ts";

/** Checks the gold: bars against the operator's transfers, and both against the vault and the clients. */
export async function checkVault(
  sql: Connection,
  findings: Findings,
  bars: readonly Row[],
  lists: readonly BarList[],
  totals: Totals,
): Promise<void> {
  const transfers = await sql.unsafe(selectFrom("transfer", "where client_id = 0 order by sequence, leg"));
  const moves = new Map(transfers.map((transfer) => [transfer.sequence as bigint, transfer]));
  let [held, moved] = [0n, 0n];
  for (const { credit, amount } of transfers) moved += credit === "vault" ? amount : -amount;
  for (const bar of bars) {
    findings.expect(
      "bar_is_booked",
      `bar ${bar.serial} fine`,
      bar.gross * BigInt(bar.fineness) / 10_000n,
      bar.fine,
    );
    takeMove(findings, moves, `bar ${bar.serial} added`, bar.added_sequence, bar.added_at, [
      "bars",
      "vault",
      bar.fine,
    ]);
    if (bar.removed_at === null) held += bar.fine;
    else {takeMove(findings, moves, `bar ${bar.serial} removed`, bar.removed_sequence, bar.removed_at, [
        "vault",
        "bars",
        bar.fine,
      ]);}
  }
  for (const sequence of moves.keys()) {
    findings.add("bar_is_booked", `transfer client 0 sequence ${sequence}`, "a bar", "nothing");
  }
  const vaults = await sql.unsafe(selectFrom("vault"));
  // Transfers of client 0 are already in totals.sold, as gold that came to the vault.
  const free = -totals.sold;
  findings.expect(
    "vault_is_sum",
    "vault",
    `${free} list ${lists.at(-1)?.id}`,
    `${vaults.reduce((sum, row) => sum + row.free, 0n)} list ${
      [...new Set(vaults.map((row) => row.list_id))].join(" and ")
    }`,
  );
  const numbers = vaults.map((row) => row.stripe as number).sort((one, other) => one - other);
  findings.expect("vault_is_sum", "stripes", numbers.map((_, n) => n).join(), numbers.join());
  findings.expect("vault_is_sum", "bars", totals.clientGold + free, held);
  findings.expect("vault_is_sum", "bars and transfers", held, moved);
  findings.expect("gold_is_backed", "bar_list", totals.clientGold + free, lists.at(-1)?.fine);
  await checkReserves(sql, findings, bars, lists);
}

function takeMove(
  findings: Findings,
  moves: Map<bigint, Row>,
  row: string,
  sequence: bigint,
  at: number,
  expected: readonly [debit: string, credit: string, amount: bigint],
): void {
  const move = moves.get(sequence);
  moves.delete(sequence);
  const found = move && [move.debit, move.credit, move.amount, move.asset, move.leg, move.bucket].join(" ");
  findings.expect("bar_is_booked", row, [...expected, "XAU", 1, 0].join(" "), found);
  if (move && !new Near(at).matches(move.posted_at)) {
    findings.add("bar_is_booked", `${row} at`, instantText(move.posted_at), instantText(at));
  }
}

/** The figure that partners see. It names the bars of its instant. */
async function checkReserves(
  sql: Connection,
  findings: Findings,
  bars: readonly Row[],
  lists: readonly BarList[],
): Promise<void> {
  for (const { one, as_of, body } of await sql.unsafe(selectFrom("published_reserves"))) {
    const listed = bars.filter(({ added_at, removed_at }) =>
      added_at <= as_of && (removed_at === null || removed_at > as_of)
    )
      .sort((left, right) => left.added_at - right.added_at || (left.serial < right.serial ? -1 : 1));
    const fine = listed.reduce((sum: bigint, bar) => sum + bar.fine, 0n);
    const owedText = /"owed_grams":([0-9.]+),/.exec(body)?.[1] ?? "0";
    const [whole, fraction = ""] = owedText.split(".") as [string, string?];
    const owed = BigInt(whole + fraction.padEnd(4, "0"));
    const coverage = owed === 0n ? "null" : gramsText(fine * 10_000n / owed);
    const texts = listed.map((bar) =>
      `{"serial":${JSON.stringify(bar.serial)},"refiner":${JSON.stringify(bar.refiner)},"vault":${
        JSON.stringify(bar.vault_name)
      },"gross_grams":${gramsText(bar.gross)},"fineness":${
        decimalText(BigInt(bar.fineness), 1)
      },"fine_grams":${gramsText(bar.fine)}}`
    );
    // A list's instant may be ahead of the clock. So the figure may name the list before or after the
    // expected one, if that list has the same weight.
    const stated = Number(/"reserves_list_id":"lst_(\d+)"/.exec(body)?.[1]);
    const inForce = lists.findLast(({ createdAt }) => createdAt <= as_of)?.id ?? 1;
    const listId = lists[stated - 1]?.fine === fine && Math.abs(stated - inForce) <= 1 ? stated : inForce;
    const expected = `{"bars":[${texts.join(",")}],"fine_grams":${gramsText(fine)},"owed_grams":${
      gramsText(owed)
    },"coverage":${coverage},"as_of":"${instantText(as_of)}","reserves_list_id":"lst_${listId}"}`;
    findings.expect("reserves_follow_bars", `published_reserves ${one}`, expected, body);
  }
}

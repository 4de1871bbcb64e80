// The lists of bars: each state of the vault has a number and a hash, and orders name the list in force.
import type { Findings } from "../findings.ts";
import type { Row } from "../snapshot.ts";
import { instantText, sha256Hex } from "../values.ts";
import { TOLERANCE_MS } from "./prices.ts";

export interface BarList {
  readonly id: number;
  readonly createdAt: number;
  readonly fine: bigint;
  readonly head: string;
}

const bytes = (text: string) => Buffer.from(text);

/** Recomputes every list from the bars. `rows` are in the order of their numbers. */
export function checkBarLists(
  findings: Findings,
  rows: readonly Row[],
  bars: readonly Row[],
  kept: { readonly id: string; readonly head: string } | undefined,
): BarList[] {
  let head = "0".repeat(64);
  for (const [index, { id, created_at, bars: count, fine, sha256 }] of rows.entries()) {
    const row = `bar_list ${id}`;
    findings.expect("bar_list_is_whole", `${row} id`, index + 1, id);
    const listed = bars.filter(({ added_list, removed_list }) =>
      added_list !== null && added_list <= id && (removed_list === null || removed_list > id)
    ).sort((left, right) => Buffer.compare(bytes(left.serial), bytes(right.serial)));
    const sum = listed.reduce((total: bigint, bar) => total + bar.fine, 0n);
    findings.expect("bar_list_is_whole", `${row} bars`, `${listed.length} of ${sum}`, `${count} of ${fine}`);
    const texts = listed.map((bar) =>
      `[${JSON.stringify(bar.serial)},${JSON.stringify(bar.refiner)},${
        JSON.stringify(bar.vault_name)
      },${bar.gross},${bar.fineness},${bar.fine}]`
    );
    const text = `[1,${id},${created_at},${fine},"${head}",[${texts.join(",")}]]`;
    findings.expect("bar_list_is_whole", `${row} sha256`, sha256Hex(text), sha256);
    head = sha256;
    const changes = bars.filter(({ added_list, removed_list }) => added_list === id || removed_list === id);
    if (id > 1) findings.expect("bar_list_is_whole", `${row} changes`, 1, changes.length);
    if (kept && kept.id === `${id}`) findings.expect("head_is_kept", row, kept.head, sha256);
  }
  if (kept && Number(kept.id) > rows.length) {
    findings.add("head_is_kept", `bar_list ${kept.id}`, kept.head, "nothing");
  }
  for (const { serial, added_list, removed_list, removed_at } of bars) {
    // A bar that was removed before the first list was made is in no list.
    const isOld = added_list === null && removed_at !== null && removed_list === null;
    const isListed = added_list !== null && (removed_at === null) === (removed_list === null);
    if (!isOld && !isListed) {
      const found = `lists ${added_list ?? "none"} to ${removed_list ?? "none"}`;
      findings.add("bar_list_is_whole", `bar ${serial}`, "a list for each of its dates", found);
    }
  }
  return rows.map(({ id, created_at, fine, sha256 }) => ({ id, createdAt: created_at, fine, head: sha256 }));
}

/**
 * Two accounts give an order and its list their instants, each by its own clock rule. So the tolerance
 * applies.
 */
export function checkOrderList(
  findings: Findings,
  lists: readonly BarList[],
  listedSince: number,
  order: Row,
): void {
  const row = `orders ${order.id} list_id`;
  if (order.list_id === null) {
    if (order.executed_at > listedSince) findings.add("order_names_list", row, "a list", "none");
    return;
  }
  const [list, next] = [lists[order.list_id - 1], lists[order.list_id]];
  const end = next?.createdAt ?? Infinity;
  const isInForce = list && order.executed_at >= list.createdAt - TOLERANCE_MS &&
    order.executed_at <= end + TOLERANCE_MS;
  if (isInForce) return;
  const inForce = lists.findLast(({ createdAt }) => createdAt <= order.executed_at)?.id;
  findings.add("order_names_list", row, `${inForce} at ${instantText(order.executed_at)}`, order.list_id);
}

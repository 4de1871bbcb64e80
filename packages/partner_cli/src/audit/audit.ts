import type { AccountEvent, GoldClient } from "@gold-partner/client";
import type { Finding } from "../command.ts";
import { usage } from "../failure.ts";
import { ChainCheck } from "./chain_check.ts";
import { DayCheck } from "./day_check.ts";
import { Evidence } from "./evidence.ts";
import type { KeptExchanges } from "./kept_exchanges.ts";
import type { KeptHeads } from "./kept_heads.ts";
import { Report } from "./rules.ts";
import { balancesText, StatementCheck } from "./statement_check.ts";

interface AuditInputs {
  readonly client: GoldClient;
  /** The number of the first event. */
  readonly from: number;
  readonly exchanges: KeptExchanges | undefined;
  readonly heads: KeptHeads | undefined;
}

/** Reads all events, recomputes the partner's books from them, and compares. */
export async function* audit({ client, from, exchanges, heads }: AuditInputs): AsyncGenerator<Finding> {
  // Read the balances first, and ignore events after their instant. No later event can have this instant,
  // because the service closes it when it answers.
  const { sar, gold, as_of } = await client.getBalances();
  const report = new Report();
  const eventBefore = await readEventBefore(client, from);
  if (from > 1 && !eventBefore) {
    throw usage(
      `--from is ${from}, but you have no event ${
        from - 1
      }. Give at most the number after your newest event.`,
    );
  }
  if (eventBefore) heads?.add(eventBefore);
  const chain = new ChainCheck(report, await client.getChainKey(), from, eventBefore?.data.chain_head);
  const days = new DayCheck(report, from);
  const statement = new StatementCheck(client, report, as_of, from > 1);
  const evidence = new Evidence(report, exchanges);
  let begunAt: string | undefined;
  for await (const event of client.listEvents({ after: from - 1, limit: 200 })) {
    if (event.created_at > as_of) break;
    begunAt ??= event.created_at;
    const before = chain.balancesBefore(event);
    const record = chain.recordOf(event, before);
    yield* statement.add(event, before, record);
    yield* chain.check(event, record);
    yield* days.check(event, before, chain.balances);
    yield* evidence.check(event);
    heads?.add(event);
  }
  if (heads) yield* heads.check(report);
  yield* statement.end();
  yield* evidence.end(from === 1 ? "" : begunAt ?? as_of, as_of);
  const found = { available: sar.available.units, held: sar.held.units, gold: gold.grams.units };
  const { balances } = chain;
  if (balances) yield* report.compare("balances", "the account", balancesText(balances), balancesText(found));
  yield* report.summary({
    ...evidence.skipped,
    ...(heads ? heads.skipped : { kept_head: "Needs the heads of your earlier audits: give --heads FILE." }),
    ...(balances ? {} : { balances: `No event${from === 1 ? "" : ` from ${from} on`} moved money or gold.` }),
  }, evidence.notes);
  if (report.isClean) await heads?.keep();
}

async function readEventBefore(client: GoldClient, from: number): Promise<AccountEvent | undefined> {
  if (from === 1) return undefined;
  return (await client.listEvents({ after: from - 2, limit: 1 })).items[0];
}

import { readFile } from "node:fs/promises";
import { setTimeout as sleep } from "node:timers/promises";
import { after, before, describe, it } from "node:test";
import { assertEquals, assertMatch } from "@std/assert";
import { assertRefused as refused, itemsOf, type TestOperator, testOperator } from "../fixture.ts";
import { askWithdrawal, setPayoutAccount } from "./withdrawal_fixture.ts";

describe("gold withdrawal submit, interrupted", () => {
  let operator: TestOperator;
  let id: string;
  before(async () => {
    operator = await testOperator();
    await setPayoutAccount(operator);
    await operator.service.send("/sandbox/fund", { body: '{"amount_sar":100}' });
    id = await askWithdrawal(operator, 100n);
    await operator.done("withdrawal", "approve", id);
  });
  after(() => operator.stop());

  const submit = (out: string, ...more: string[]) =>
    operator.colleague.gold("withdrawal", "submit", "--out", operator.path(out), ...more, "--json", "--yes");
  const status = async () => itemsOf(await operator.done("withdrawal", "list"))[0]!.status;
  const batchIn = (detail: string) => /--batch (\S+)/.exec(detail)![1]!;

  /** Runs `act` while the submission waits for the lock on the partner's account. */
  async function submitAround(out: string, act: () => Promise<unknown>) {
    const { sql } = operator.service.books;
    const holder = await sql.reserve();
    await holder`begin`;
    await holder`select from gold.account where client_id = ${operator.service.partner.client} for no key update`;
    const run = submit(out);
    for (let waiting = false; !waiting; await sleep(20)) {
      const [row] = await sql`
        select from pg_stat_activity where usename = ${operator.colleague.login} and wait_event_type = 'Lock'`;
      waiting = row !== undefined;
    }
    await act();
    await holder`commit`;
    holder.release();
    return await run;
  }

  it("reports outcome_unknown if the connection is lost, and --batch then finds no batch", async () => {
    const run = await submitAround("lost.xml", () =>
      operator.service.books.sql`
        select pg_terminate_backend(pid) from pg_stat_activity where usename = ${operator.colleague.login}`);
    refused(run, 3, "may have been submitted");
    assertEquals([run.problem.code, await status()], ["outcome_unknown", "approved"]);
    refused(await submit("lost.xml", "--batch", batchIn(run.problem.detail)), 1, "There is no batch");
  });

  it("does not overwrite a file that appeared meanwhile; --batch writes the document elsewhere", async () => {
    const run = await submitAround("taken.xml", () => operator.write("taken.xml", "mine"));
    refused(run, 3, "The command succeeded, but");
    assertEquals([await operator.read("taken.xml"), await status()], ["mine", "submitted"]);
    const kept = await readFile(/ is in (\S+): /.exec(run.problem.detail)![1]!, "utf8");
    assertMatch(kept, /<CtrlSum>1\.00<\/CtrlSum>/);
    const [stored] = await operator.service.books.sql`select id from gold.payment_batch`;
    const again = await submit("rescued.xml", "--batch", stored!.id);
    assertEquals([again.exit, again.json.count, await operator.read("rescued.xml")], [0, 1, kept]);
  });
});

import { after, before, describe, it } from "node:test";
import { assertEquals } from "@std/assert";
import { assertRefused as refused, itemsOf, type TestOperator, testOperator } from "../fixture.ts";
import { askWithdrawal, setPayoutAccount } from "./withdrawal_fixture.ts";

describe("gold withdrawal", () => {
  let operator: TestOperator;
  before(async () => {
    operator = await testOperator();
    await setPayoutAccount(operator);
    await operator.service.send("/sandbox/fund", { body: '{"amount_sar":1000}' });
  });
  after(() => operator.stop());

  const balances = async () => {
    const shown = await operator.done("partner", "show", operator.service.partner.clientId);
    return [shown.sar_available, shown.sar_held];
  };
  const listed = async (id: string, ...more: string[]) =>
    itemsOf(await operator.done("withdrawal", "list", ...more)).find(({ withdrawal_id }) =>
      withdrawal_id === id
    );
  const submitted = async () => {
    const id = await askWithdrawal(operator, 1000n);
    await operator.done("withdrawal", "approve", id);
    await operator.colleague.done("withdrawal", "submit", "--out", operator.path(`${id}.xml`));
    return id;
  };

  it("waits for an approval, and list shows who made the last change", async () => {
    const id = await askWithdrawal(operator, 12_345n);
    const row = await listed(id, "--status", "pending_approval");
    assertEquals([row!.amount_sar, row!.status, row!.batch], ["123.45", "pending_approval", null]);
    assertEquals((await operator.done("withdrawal", "approve", id)).status, "approved");
    const approved = await listed(id);
    assertEquals([approved!.status, approved!.status_by], ["approved", operator.login]);
    assertEquals(await listed(id, "--status", "paid"), undefined);
    refused(await operator.gold("withdrawal approve", id), 1, "is pending_approval can be approved");
    refused(await operator.gold("withdrawal paid", id, "--yes"), 1, "is submitted can be paid");
    refused(await operator.gold("withdrawal", "list", "--status", "lost"), 2, "--status");
    await operator.done("withdrawal", "reject", id);
  });

  it("approve and paid take the whole list at once, or nothing", async () => {
    const [before] = await balances();
    const ids = await Promise.all([100n, 200n, 300n].map((amount) => askWithdrawal(operator, amount)));
    await operator.done("withdrawal", "reject", ids[2]!);
    refused(await operator.gold("withdrawal", "approve", ...ids), 1, `${ids[2]} is rejected`);
    assertEquals((await listed(ids[0]!))!.status, "pending_approval");
    const approved = await operator.done("withdrawal", "approve");
    assertEquals([approved.status, approved.count, approved.total_sar], ["approved", 2, "3"]);
    assertEquals(
      itemsOf(approved).map(({ withdrawal_id }) => withdrawal_id).toSorted(),
      ids.slice(0, 2).toSorted(),
    );
    refused(await operator.gold("withdrawal", "approve"), 1, "No withdrawal is pending approval.");
    const out = operator.path("list.xml");
    const { batch } = await operator.colleague.done("withdrawal", "submit", "--out", out);
    refused(await operator.gold("withdrawal", "paid"), 2, "Name the withdrawals");
    refused(await operator.gold("withdrawal", "paid", "--batch", `${batch}`), 2, "--yes");
    const paid = await operator.done("withdrawal", "paid", "--batch", `${batch}`);
    assertEquals([paid.status, paid.count, paid.total_sar], ["paid", 2, "3"]);
    refused(await operator.gold("withdrawal", "paid", "--batch", `${batch}`, "--yes"), 1, "is submitted");
    assertEquals((await balances())[0], `${Number(before) - 3}`);
    assertEquals((await operator.done("ledger", "verify")).clean, true);
  });

  it("reject releases the money once", async () => {
    const before = await balances();
    const id = await askWithdrawal(operator, 5000n);
    refused(await operator.gold("withdrawal", "reject", id), 2, "--yes");
    assertEquals((await operator.done("withdrawal", "reject", id)).status, "rejected");
    assertEquals(await balances(), before);
    refused(await operator.gold("withdrawal", "reject", id, "--yes"), 1, "is rejected");
    assertEquals(await balances(), before);
  });

  it("paid takes the money out of the books, and returned credits it again once", async () => {
    const [before] = await balances();
    const id = await submitted();
    assertEquals((await operator.done("withdrawal", "paid", id)).status, "paid");
    const [after, held] = await balances();
    assertEquals([Number(before) - Number(after), held], [10, "0"]);
    const batch = (await listed(id))!.batch;
    assertEquals(typeof batch, "string");
    assertEquals((await operator.done("withdrawal", "returned", id)).status, "returned");
    assertEquals((await balances())[0], before);
    refused(await operator.gold("withdrawal", "returned", id, "--yes"), 1, "is returned");
    assertEquals((await operator.done("ledger", "verify")).clean, true);
  });

  it("approve and returned reject malformed and unknown withdrawal ids", async () => {
    const unknown = "wd_019a9b3c-0000-7000-8000-000000000001";
    for (const id of ["wd_1", unknown.slice(3), unknown.toUpperCase(), unknown]) {
      refused(await operator.gold("withdrawal", "approve", id), 1, id);
      refused(await operator.gold("withdrawal", "returned", id, "--yes"), 1, id);
    }
  });
});
